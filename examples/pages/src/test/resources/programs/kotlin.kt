// page: docs/kotlin.md
import dev.throttle.ThrottleRegistry
import kotlin.system.exitProcess
import kotlinx.coroutines.runBlocking
import okhttp3.Call

// snippet 2

// snippet 6

fun calls(throttles: ThrottleRegistry): Call.Factory {
    // snippet 1
    return calls
}

fun retrofit(calls: Call.Factory, api: String): Things {
    // snippet 3
    return things
}

suspend fun okHttp(calls: Call.Factory, url: String): String {
    // snippet 4
    return text
}

suspend fun jdk(throttles: ThrottleRegistry, url: String): String {
    // snippet 5
    return text
}

suspend fun another(throttles: ThrottleRegistry, url: String): String {
    val unthrottled = HttpClient.newHttpClient()
    val request = HttpRequest.newBuilder(URI(url)).build()
    // snippet 7
}

fun main(args: Array<String>): Unit = runBlocking {
    val throttles = ThrottleRegistry.create()
    val calls = calls(throttles)
    println(retrofit(calls, args[0] + "/").things().string())
    println(okHttp(calls, args[0]))
    println(jdk(throttles, args[0]))
    println(another(throttles, args[0]))
    exitProcess(0)
}
