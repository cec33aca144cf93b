package dev.throttle.okhttp;

import java.lang.reflect.Method;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The method of a Retrofit interface that a request comes from. Its annotations say which path it has, and which parts
 * of that differ from call to call. Retrofit need not be there.
 */
final class RetrofitTag {

    private static final @Nullable Class<?> INVOCATION = invocation();

    private RetrofitTag() {}

    private static @Nullable Class<?> invocation() {
        try {
            return Class.forName("retrofit2.Invocation", false, RetrofitTag.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /** {@return the method, as the end of a route; null if the request does not come from Retrofit} */
    static @Nullable String of(Request request) {
        Class<?> type = INVOCATION;
        Object invocation = type == null ? null : request.tag(type);
        if (type == null || invocation == null) {
            return null;
        }
        try {
            Method method = (Method) type.getMethod("method").invoke(invocation);
            return method.getDeclaringClass().getName() + "." + method.getName();
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null; // of a version that is not known: the path tells the route
        }
    }
}
