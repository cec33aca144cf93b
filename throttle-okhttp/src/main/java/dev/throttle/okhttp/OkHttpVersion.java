package dev.throttle.okhttp;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import kotlin.jvm.functions.Function0;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * What OkHttp has since 5.4.0, and what stands in for it before. An older one has no tags on calls, has event listeners
 * on clients only, and does not tell interceptors about the client.
 */
final class OkHttpVersion {

    private static final String TOO_OLD = "Throttle needs OkHttp 4.9.0 or newer, but found %s; add"
            + " com.squareup.okhttp3:okhttp-bom:5.5.1 to the dependencyManagement of your build with scope import";

    private static final boolean IS_CURRENT = has(Call.class, "addEventListener", EventListener.class)
            && has(Call.class, "tag", Class.class, Function0.class)
            && has(Interceptor.Chain.class, "getRetryOnConnectionFailure");

    private OkHttpVersion() {}

    private static boolean has(Class<?> type, String method, Class<?>... parameters) {
        return methodOf(type, method, parameters) != null;
    }

    private static @Nullable Method methodOf(Class<?> type, String method, Class<?>... parameters) {
        try {
            return type.getMethod(method, parameters);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /** Refuses an OkHttp 3, where it is installed and not in the middle of a call. */
    static void check() {
        if (methodOf(
                        okhttp3.ResponseBody.class,
                        "create",
                        okio.BufferedSource.class,
                        okhttp3.MediaType.class,
                        long.class)
                == null) {
            throw new IllegalStateException(TOO_OLD.formatted(name()));
        }
    }

    /** By reflection, since the compiler would copy the constant. */
    private static String name() {
        try {
            return "OkHttp "
                    + Class.forName("okhttp3.OkHttp").getField("VERSION").get(null);
        } catch (ReflectiveOperationException e) {
            return "an OkHttp without a version";
        }
    }

    /** {@return whether a call tells a listener when it is canceled; if not, it must be asked} */
    static boolean tellsOfCancellation() {
        return IS_CURRENT;
    }

    /** {@return what a call is tagged with} */
    static @Nullable CallTag tagOf(Call call) {
        return IS_CURRENT ? call.tag(CallTag.class) : Older.TAGS.get(call);
    }

    /** {@return what a call is tagged with, from now on at the latest} */
    static CallTag tag(Call call) {
        return IS_CURRENT
                ? call.tag(CallTag.class, CallTag::new)
                : Older.TAGS.computeIfAbsent(call, untagged -> new CallTag());
    }

    /** {@return whether the client of a call repeats requests that could not be sent} */
    static boolean retriesConnectionFailures(Interceptor.Chain chain) {
        return IS_CURRENT ? chain.getRetryOnConnectionFailure() : retriesConnectionFailures(chain.call());
    }

    /** {@return the client of a call; null if that cannot be seen} */
    static @Nullable OkHttpClient clientOf(Call call) {
        Method clientOf = Inside.CLIENT_OF;
        try {
            return clientOf != null
                            && clientOf.getDeclaringClass().isInstance(call)
                            && clientOf.invoke(call) instanceof OkHttpClient client
                    ? client
                    : null;
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** {@return whether the client of a call repeats requests, as by default, where it can be seen} */
    private static boolean retriesConnectionFailures(Call call) {
        OkHttpClient client = clientOf(call);
        return client == null || client.retryOnConnectionFailure();
    }

    private static final class Older {

        /** No tag refers to its call. */
        static final Map<Call, CallTag> TAGS = Collections.synchronizedMap(new WeakHashMap<>());
    }

    /** How the client of a call is found. OkHttp does not tell, and as a module it keeps others from looking. */
    private static final class Inside {

        private static final @Nullable Method CLIENT_OF = find();

        private static @Nullable Method find() {
            try {
                return methodOf(Class.forName("okhttp3.internal.connection.RealCall"), "getClient");
            } catch (ClassNotFoundException e) {
                return null;
            }
        }
    }
}
