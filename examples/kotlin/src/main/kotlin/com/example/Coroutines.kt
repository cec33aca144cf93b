package com.example

import dev.throttle.Throttle
import dev.throttle.ThrottleRegistry
import dev.throttle.jdkhttp.ThrottlingHttpClient
import dev.throttle.okhttp.ThrottlingCallFactory
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future
import kotlinx.coroutines.supervisorScope
import okhttp3.Call
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.ResponseBody
import okhttp3.coroutines.executeAsync
import retrofit2.Retrofit
import retrofit2.create
import retrofit2.http.GET

fun calls(throttles: ThrottleRegistry): Call.Factory {
    val calls = ThrottlingCallFactory.builder(OkHttpClient(), throttles).build()
    return calls
}

interface Things {
    @GET("things")
    suspend fun things(): ResponseBody
}

fun retrofit(calls: Call.Factory, api: String): Things {
    val things: Things = Retrofit.Builder()
        .baseUrl(api)
        .callFactory(calls)
        .build()
        .create()
    return things
}

suspend fun okHttp(calls: Call.Factory, url: String): String {
    val request = Request.Builder().url(url).build()
    val text = calls.newCall(request).executeAsync().use { response -> response.body.string() }
    return text
}

suspend fun jdk(throttles: ThrottleRegistry, url: String): String {
    val client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
        .throttles(throttles)
        .build()
    val request = HttpRequest.newBuilder(URI(url)).build()
    val text = client.sendAsync(request, BodyHandlers.ofString()).await().body()
    return text
}

suspend fun <T : Any> Throttle.call(action: suspend () -> T): T = supervisorScope {
    executeAsync { future { action() } }.await()
}
