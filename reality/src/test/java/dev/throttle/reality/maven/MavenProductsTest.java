package dev.throttle.reality.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.reality.Product;
import dev.throttle.reality.ProductServer;
import dev.throttle.reality.answers.LabReplay;
import dev.throttle.reality.load.ClientKind;
import dev.throttle.reality.load.ShortRun;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each of the products answers as the server of the lab that stands for it, and both clients have a short run there.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class MavenProductsTest {

    /** Far more than is granted at once. */
    private static final int CALLS = 45;

    /** Clients that know nothing of limits are refused nine times of ten. */
    private static final double MOST_REFUSED_PERCENT = 35;

    static List<Product> products() {
        return MavenProducts.quick();
    }

    @ParameterizedTest
    @MethodSource("products")
    void theLabAnswersAsTheProductDoesAndNoClientLosesACall(Product product) throws Exception {
        try (ProductServer server = ProductServer.start(product, 0)) {
            LabReplay.assertSame(product, server.uri());
            for (ClientKind client : List.of(ClientKind.OKHTTP, ClientKind.JDK)) {
                ShortRun run = ShortRun.of(server.uri(), product.limit(), CALLS, client);
                assertThat(run.failure()).as("%s %s", product.name(), run).isNull();
                assertThat(run.succeeded()).as("%s %s", product.name(), run).isEqualTo(CALLS);
                assertThat(run.refusedPercent())
                        .as("%s %s", product.name(), run)
                        .isLessThanOrEqualTo(MOST_REFUSED_PERCENT);
            }
        }
    }
}
