package dev.throttle.reality.external;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.reality.Kind;
import dev.throttle.reality.Product;
import dev.throttle.reality.ProductServer;
import dev.throttle.reality.answers.LabReplay;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The servers of the lab answer as the products that they stand for. */
@Tag("external")
@Execution(ExecutionMode.CONCURRENT)
class LabIT {

    private static final Duration LONGEST_WINDOW = Duration.ofSeconds(10);

    static Stream<Product> products() {
        return ExternalProducts.all().stream()
                .filter(product -> !product.lab().isEmpty())
                // These are asked one request after the other.
                .filter(product -> product.kind() != Kind.CONCURRENCY)
                .filter(product -> product.limit().per().compareTo(LONGEST_WINDOW) <= 0);
    }

    @ParameterizedTest
    @MethodSource("products")
    void theLabAnswersAsTheProduct(Product product) throws Exception {
        assertThat(product.missing()).isNull();
        try (ProductServer server = ProductServer.start(product, 0)) {
            LabReplay.assertSame(product, server.uri());
        }
    }
}
