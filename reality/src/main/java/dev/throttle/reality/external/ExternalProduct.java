package dev.throttle.reality.external;

import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import dev.throttle.reality.Product;
import java.util.List;

/** A product that is installed beside Java. */
abstract class ExternalProduct implements Product {

    /**
     * One configuration.
     *
     * @param name the name of the product
     * @param description what is configured
     * @param kind what a client can know of its limit
     * @param limit what it grants
     * @param lab the arguments of the server of the lab that stands for it, separated by blanks; empty if none does
     */
    record Cell(String name, String description, Kind kind, Limit limit, String lab) {}

    private final Cell cell;

    ExternalProduct(Cell cell) {
        this.cell = cell;
    }

    @Override
    public final String name() {
        return cell.name;
    }

    @Override
    public final String description() {
        return cell.description;
    }

    @Override
    public final Kind kind() {
        return cell.kind;
    }

    @Override
    public final Limit limit() {
        return cell.limit;
    }

    @Override
    public final List<String> lab() {
        return cell.lab.isEmpty() ? List.of() : List.of(cell.lab.split(" "));
    }

    @Override
    public String toString() {
        return cell.name;
    }
}
