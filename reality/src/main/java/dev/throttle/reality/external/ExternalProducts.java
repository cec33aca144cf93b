package dev.throttle.reality.external;

import dev.throttle.reality.Product;
import java.util.List;
import java.util.stream.Stream;

/** The products of npm and Debian. */
public final class ExternalProducts {

    private ExternalProducts() {}

    /** {@return all of them, whether they are installed or not} */
    public static List<Product> all() {
        return Stream.<List<? extends Product>>of(
                        NpmProducts.all(), Nginx.all(), HaProxy.all(), Varnish.all(), Apache.all())
                .<Product>flatMap(List::stream)
                .toList();
    }
}
