package com.example

import dev.throttle.Throttle
import dev.throttle.ThrottleRegistry
import dev.throttle.signal.Outcome
import dev.throttle.testing.RateLimitedServer
import dev.throttle.testing.VirtualTime
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.time.Duration
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** Each way to call from a coroutine, on a server that refuses the first request and accepts five in a minute. */
class CoroutinesTest {

    private val time = VirtualTime()
    private val scope = CoroutineScope(Dispatchers.Default)
    private val server = RateLimitedServer.builder().window(5, Duration.ofMinutes(1)).time(time).start()
    private val throttles = ThrottleRegistry.builder().time(time).build()
    private val calls = calls(throttles)
    private val url = server.uri("/things").toString()
    private val things = retrofit(calls, server.uri("/").toString())
    private val unthrottled = HttpClient.newHttpClient()

    @Test
    fun suspendFunctionsOfRetrofit() = assertPaced { things.things().string() }

    @Test
    fun suspendFunctionsOfRetrofitAreCancelled() = assertCancelled { things.things().string() }

    /** In real time, as much of it passes while requests are on the wire. */
    @Test
    fun manyAtOnce() {
        val throttles = ThrottleRegistry.create()
        RateLimitedServer.builder().window(10, Duration.ofSeconds(1)).start().use { busy ->
            busy.refuseNext(2, 429, Duration.ofSeconds(1))
            val things = retrofit(calls(throttles), busy.uri("/").toString())
            val texts = runBlocking { List(20) { async { things.things().string() } }.awaitAll() }
            assertEquals(List(20) { "accepted" }, texts)
            assertEquals(20, busy.accepted())
            assertEquals(busy.refused(), throttles.all().single().count(Outcome.RATE_LIMITED))
        }
    }

    @Test
    fun executeAsync() = assertPaced { okHttp(calls, url) }

    @Test
    fun executeAsyncIsCancelled() = assertCancelled { okHttp(calls, url) }

    @Test
    fun theJdksClient() = assertPaced { jdk(throttles, url) }

    @Test
    fun theJdksClientIsCancelled() = assertCancelled { jdk(throttles, url) }

    @Test
    fun aThrottleOfItsOwn() = assertPaced { onThrottle() }

    @Test
    fun aThrottleOfItsOwnIsCancelled() = assertCancelled { onThrottle() }

    private suspend fun onThrottle(): String {
        val request = HttpRequest.newBuilder(server.uri("/things")).build()
        return throttles.get("things").call { unthrottled.sendAsync(request, BodyHandlers.ofString()).await() }.body()
    }

    /** Twelve calls get their answers, and the server refuses none but the first. */
    private fun assertPaced(call: suspend () -> String) {
        server.refuseNext(1, 429, Duration.ofSeconds(7))
        await(scope.future { repeat(12) { assertEquals("accepted", call()) } })
        assertEquals(12, server.accepted())
        assertEquals(1, server.refused())
        assertEquals(1, throttle().count(Outcome.RATE_LIMITED))
    }

    /** A call that waits for its repetition gives its place up when its coroutine is cancelled. */
    private fun assertCancelled(call: suspend () -> String) {
        server.refuseNext(1, 429, Duration.ofMinutes(5))
        val job = scope.launch { call() }
        while (throttles.all().isEmpty() || throttle().snapshot().waiting() == 0) {
            Thread.sleep(1)
        }
        runBlocking { job.cancelAndJoin() }
        while (throttle().snapshot().waiting() > 0) {
            Thread.sleep(1)
        }
        assertEquals(1, throttle().snapshot().cancelledWaiting())
        time.advance(Duration.ofMinutes(10))
        assertEquals("accepted", await(scope.future { call() }))
        assertEquals(1, server.accepted())
    }

    /** Time passes until a future is done. */
    private fun <T> await(future: CompletableFuture<T>): T {
        while (!future.isDone) {
            if (!time.advanceToNextTask()) {
                Thread.sleep(1) // another thread is at work
            }
        }
        return future.join()
    }

    private fun throttle(): Throttle = throttles.all().single()

    @AfterEach
    fun stop() {
        server.close()
    }
}
