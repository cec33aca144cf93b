package dev.throttle.lab.torture;

import dev.throttle.CallOptions;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;

/** Makes one call with OkHttp. */
final class OkHttpCaller implements Caller {

    private final Call.Factory calls;
    private final CallPlan plan;
    private final Call call;
    private final AtomicInteger endings = new AtomicInteger();

    OkHttpCaller(Call.Factory calls, CallPlan plan, String url) {
        this.calls = calls;
        this.plan = plan;
        this.call = this.calls.newCall(request(plan, url));
        call.timeout().timeout(plan.timeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Request request(CallPlan plan, String url) {
        return new Request.Builder()
                .url(url)
                .tag(CallOptions.class, plan.options())
                .method(plan.isIdempotent() ? "GET" : "POST", body(plan))
                .build();
    }

    private static @Nullable RequestBody body(CallPlan plan) {
        if (plan.bodyBytes() < 0) {
            return null;
        }
        byte[] content = new byte[plan.bodyBytes()];
        return !plan.isOneShot()
                ? RequestBody.create(content, null)
                : new RequestBody() {
                    @Override
                    public @Nullable MediaType contentType() {
                        return null;
                    }

                    @Override
                    public boolean isOneShot() {
                        return true;
                    }

                    @Override
                    public void writeTo(BufferedSink sink) throws IOException {
                        sink.write(content);
                    }
                };
    }

    @Override
    public void cancel() {
        call.cancel();
    }

    @Override
    public Ending run() {
        return plan.door().isAsync() ? enqueue() : execute();
    }

    /** {@return how often the callback was called, or 1 if there was none} */
    @Override
    public int endings() {
        return plan.door().isAsync() ? endings.get() : 1;
    }

    private Ending execute() {
        try (Response response = call.execute()) {
            return read(response);
        } catch (Throwable e) {
            return Ending.thrown(e);
        }
    }

    private Ending enqueue() {
        CompletableFuture<Ending> ending = new CompletableFuture<>();
        try {
            call.enqueue(new Callback() {
                @Override
                public void onResponse(Call made, Response response) {
                    endings.incrementAndGet();
                    try (response) {
                        ending.complete(read(response));
                    } catch (Throwable e) {
                        ending.complete(Ending.thrown(e));
                    }
                }

                @Override
                public void onFailure(Call made, IOException e) {
                    endings.incrementAndGet();
                    ending.complete(Ending.thrown(e));
                }
            });
        } catch (Throwable e) {
            endings.incrementAndGet();
            ending.complete(Ending.thrown(e));
        }
        return ending.join();
    }

    private Ending read(Response response) {
        try {
            long length = Long.parseLong(response.header(Servers.LENGTH, "-1"));
            return new Reader(plan, this::cancel)
                    .read(response.code(), length, response.body().byteStream());
        } catch (Throwable e) {
            return new Ending(response.code(), false, true, e);
        }
    }
}
