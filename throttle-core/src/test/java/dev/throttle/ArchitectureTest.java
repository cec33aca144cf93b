package dev.throttle;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The boundaries between the packages of a module; those between modules are in their module-info. */
class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location ->
                    !location.contains("/dev/throttle/okhttp/") && !location.contains("/dev/throttle/jdkhttp/"))
            .importPackages("dev.throttle");

    private static final String ROOT = "dev.throttle";

    private static String inner(String name) {
        return ROOT + "." + name + "..";
    }

    @Test
    void theRulesSeeTheClasses() {
        assertThat(CORE.contain(Throttle.class)).isTrue();
        assertThat(CORE.contain(ArchitectureTest.class)).isFalse();
        assertThat(CORE).hasSizeGreaterThan(60);
    }

    @Test
    void onlyTheTimePackageTouchesTime() {
        noClasses()
                .that()
                .resideOutsideOfPackage(inner("time"))
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(ScheduledThreadPoolExecutor.class)
                .check(CORE);
        noClasses()
                .that()
                .resideOutsideOfPackage(inner("resilience4j")) // a circuit breaker has a clock of its own
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .check(CORE);
    }

    @Test
    void onlyTheTimePackageParksAThread() {
        noClasses()
                .that()
                .resideOutsideOfPackage(inner("time"))
                .should()
                .callMethod(LockSupport.class, "park")
                .orShould()
                .callMethod(LockSupport.class, "park", Object.class)
                .orShould()
                .callMethod(LockSupport.class, "parkNanos", long.class)
                .orShould()
                .callMethod(LockSupport.class, "parkNanos", Object.class, long.class)
                .check(CORE);
    }

    @Test
    void nobodyDrawsRandomNumbersFromAGlobalSource() {
        noClasses()
                .should()
                .callMethod(Math.class, "random")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocalRandom.class)
                .check(CORE);
    }

    @Test
    void controllersAreArithmeticOnSignals() {
        classes()
                .that()
                .resideInAPackage(inner("control"))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        inner("control"), inner("signal"), inner("internal"), "java..", "org.jspecify.."))
                .andShould()
                .onlyDependOnClassesThat(not(resideInAPackage("java.util.concurrent..")))
                .check(CORE);
    }

    @Test
    void whatTheEngineStandsOnDoesNotKnowIt() {
        onlyKnows("retry", inner("signal"), inner("internal"));
        onlyKnows("time", inner("internal"));
        onlyKnows("internal");
    }

    private static void onlyKnows(String name, String... others) {
        noClasses()
                .that()
                .resideInAPackage(inner(name))
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + "..")
                        .and(not(resideInAPackage(inner(name))))
                        .and(not(resideInAnyPackage(others))))
                .check(CORE);
    }

    @Test
    void onlyOnePackageKnowsEachOptionalLibrary() {
        onlyIn("micrometer", "io.micrometer..");
        onlyIn("resilience4j", "io.github.resilience4j..");
        onlyIn("concurrencylimits", "com.netflix..");
    }

    private static void onlyIn(String name, String library) {
        noClasses()
                .that()
                .resideOutsideOfPackage(inner(name))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(CORE);
    }

    @Test
    void onlyTheSetOfThrottlesKnowsTheCache() {
        noClasses()
                .that(not(equivalentTo(KeyedThrottles.class)))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.github.benmanes..")
                .check(CORE);
    }

    @Test
    void thePackagesDependOnEachOtherInOneDirection() {
        slices().matching("dev.throttle.(*)..").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void aLimitThatLearnsIsArithmeticToo() {
        onlyKnows("concurrencylimits", inner("control"), inner("signal"), inner("internal"));
    }

    /** The engine knows of the facade only what passes through: values, a rejection, and the contract of guards. */
    @Test
    void theEngineDoesNotKnowTheFacade() {
        onlyKnows("engine", inner("control"), inner("signal"), inner("retry"), inner("time"), inner("internal"), ROOT);
        noClasses()
                .that()
                .resideInAPackage(inner("engine"))
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT)
                        .and(describe("that are no arrays", type -> !type.isArray()))
                        .and(not(belongToAnyOf(
                                CallOptions.class,
                                Permit.class,
                                Priority.class,
                                PriorityPolicy.class,
                                WhenFull.class,
                                ThrottleRejectedException.class,
                                ThrottleMode.class,
                                ThrottleState.class,
                                WaitEstimate.class,
                                AdmissionGuard.class))))
                .check(CORE);
    }

    @Test
    void noClassesKnowEachOtherInACircle() {
        slices().assignedFrom(new TopLevelClasses()).should().beFreeOfCycles().check(CORE);
    }

    /** A nested class is a part of the one around it. */
    private static final class TopLevelClasses implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(topLevel(type).getName());
        }

        private static JavaClass topLevel(JavaClass type) {
            return type.getEnclosingClass().map(TopLevelClasses::topLevel).orElse(type);
        }

        @Override
        public String getDescription() {
            return "top-level classes";
        }
    }
}
