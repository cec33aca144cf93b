package dev.throttle.jdkhttp;

import java.net.http.HttpClient;
import java.util.concurrent.Executor;

/**
 * What a client is made of, as its calls need it.
 *
 * @param delegate sends the requests
 * @param routes which throttle paces a request
 * @param bodies how bodies are looked at and discarded
 * @param executor where asynchronous calls go on after a wait
 * @param calls those under way
 */
record ClientParts(HttpClient delegate, Routes routes, BodyPolicy bodies, Executor executor, Calls calls) {}
