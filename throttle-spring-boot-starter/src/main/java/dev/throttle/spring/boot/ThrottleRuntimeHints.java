package dev.throttle.spring.boot;

import java.net.http.HttpClient;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image has to know of Throttle beside what Spring finds out by itself. */
class ThrottleRuntimeHints implements RuntimeHintsRegistrar {

    /** The cache of keys: Caffeine makes a class for each combination of features, and finds it by its name. */
    static final String[] CACHE_CLASSES = {"SSMSA", "PSAMS"};

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        for (String name : CACHE_CLASSES) {
            hints.reflection()
                    .registerType(
                            TypeReference.of("com.github.benmanes.caffeine.cache." + name),
                            MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
                            MemberCategory.ACCESS_DECLARED_FIELDS);
        }
        // The lifecycle of the JDK's client, which it has since Java 21, is called by method handles.
        hints.reflection().registerType(HttpClient.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
