package dev.throttle.reality;

import dev.throttle.reality.external.ExternalProducts;
import dev.throttle.reality.maven.MavenProducts;
import java.util.List;
import java.util.stream.Stream;

/** The catalogue. To add a product, implement {@link Product} and list it here or in one of these lists. */
public final class Products {

    private Products() {}

    /** {@return all products, whether this machine can run them or not} */
    public static List<Product> all() {
        return Stream.concat(MavenProducts.all().stream(), ExternalProducts.all().stream())
                .toList();
    }

    /**
     * {@return the product of that name}
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Product named(String name) {
        return all().stream()
                .filter(product -> product.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no product is named " + name));
    }
}
