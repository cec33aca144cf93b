package dev.throttle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.bucket4j.Bucket4jLeases;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.okhttp.ThrottlingInterceptor;
import dev.throttle.redis.RedisFleet;
import dev.throttle.signal.Signal;
import dev.throttle.spring.ThrottlingRequestInterceptor;
import dev.throttle.testing.VirtualTime;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/design/decisions.md names every public type of every exported package, and so gives a reason for it. */
class PublicTypesDocTest {

    /** For modules of this project only. */
    private static final Set<String> WITHOUT_CONTRACT = Set.of("dev.throttle.internal", "dev.throttle.lease.fleet");

    private static Set<String> publicTypes(Class<?> member) throws Exception {
        Path location = Path.of(
                member.getProtectionDomain().getCodeSource().getLocation().toURI());
        ModuleReference module = ModuleFinder.of(location).findAll().iterator().next();
        Set<String> packages = module.descriptor().exports().stream()
                .map(ModuleDescriptor.Exports::source)
                .filter(name -> !WITHOUT_CONTRACT.contains(name))
                .collect(Collectors.toSet());
        Set<String> types = new TreeSet<>();
        try (ModuleReader reader = module.open()) {
            for (String file : reader.list().toList()) {
                String name = file.replace('/', '.').replaceAll("\\.class$", "");
                int dot = name.lastIndexOf('.');
                if (!file.endsWith(".class")
                        || file.contains("$")
                        || dot < 0
                        || !packages.contains(name.substring(0, dot))) {
                    continue;
                }
                if (Modifier.isPublic(
                        Class.forName(name, false, member.getClassLoader()).getModifiers())) {
                    types.add(name);
                }
            }
        }
        return types;
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Signal.class,
                Throttle.class,
                ThrottlingInterceptor.class,
                ThrottlingHttpClient.class,
                ThrottlingRequestInterceptor.class,
                LeasedLimit.class,
                RedisFleet.class,
                Bucket4jLeases.class,
                VirtualTime.class
            })
    void everyPublicTypeHasAReason(Class<?> member) throws Exception {
        String page = Files.readString(Path.of("../docs/design/decisions.md"));
        String section = page.substring(page.indexOf("## Public types"));
        Set<String> types = publicTypes(member);
        assertThat(types).contains(member.getName());
        for (String type : types) {
            int dot = type.lastIndexOf('.');
            assertThat(section).as(type).contains("`" + type.substring(dot + 1) + "`");
        }
    }
}
