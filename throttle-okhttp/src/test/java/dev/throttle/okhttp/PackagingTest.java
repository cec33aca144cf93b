package dev.throttle.okhttp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the module is made of: its name, its dependencies, and what it uses of them. */
class PackagingTest {

    private static Path mainClasses() throws URISyntaxException {
        return Path.of(ThrottlingInterceptor.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    @Test
    void theModuleRequiresOkhttp3() throws URISyntaxException {
        ModuleDescriptor module = ModuleFinder.of(mainClasses())
                .find("dev.throttle.okhttp")
                .orElseThrow()
                .descriptor();
        Set<String> required = module.requires().stream()
                .filter(requires -> !requires.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                .map(ModuleDescriptor.Requires::name)
                .collect(Collectors.toSet());
        assertThat(required).containsExactlyInAnyOrder("java.base", "dev.throttle", "okhttp3");
    }

    @Test
    void theMainCodeUsesPublicPackagesOfOkHttpAndNoOtherLibrary() throws URISyntaxException {
        JavaClasses main = new ClassFileImporter().importPath(mainClasses());
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.net.ssl",
                        "dev.throttle..",
                        "okhttp3", // without its internal packages
                        "okio",
                        "kotlin.jvm.functions",
                        "kotlin.reflect",
                        "org.jspecify.annotations")
                .check(main);
    }
}
