package dev.throttle.reality;

import dev.throttle.reality.load.ClientKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which cells run where nothing is selected. */
final class Plan {

    /** One of each kind, in which peers are measured, too, and the cells that take long. */
    static final Set<String> EXAMPLES =
            Set.of("gateway", "bucket4j", "erl-d8", "erl-1s", "fastify", "rlf-ra", "nginx-burst429", "haproxy-10s");

    /** A part of the plan. */
    record Entry(Product product, Cell cell, ClientKind client) {

        @Override
        public String toString() {
            return product.name() + " " + cell.text() + " " + client.text();
        }
    }

    private Plan() {}

    /**
     * {@return what runs}
     *
     * @param cells those selected, empty for those of the plan
     * @param clients those selected, empty for those of the plan
     */
    static List<Entry> of(List<Product> products, List<Cell> cells, List<ClientKind> clients) {
        List<Entry> all = new ArrayList<>();
        for (Product product : products) {
            for (Cell cell : cells.isEmpty() ? List.of(Cell.values()) : cells) {
                for (ClientKind client : clients.isEmpty() ? List.of(ClientKind.values()) : clients) {
                    boolean selected = (!cells.isEmpty() || isPlanned(product, cell))
                            && (!clients.isEmpty() || isPlanned(product, cell, client));
                    if (selected && isPossible(product, cell)) {
                        all.add(new Entry(product, cell, client));
                    }
                }
            }
        }
        return all;
    }

    private static boolean isPossible(Product product, Cell cell) {
        boolean open = !cell.isOpen() || product.limit().shape() != Limit.Shape.CONCURRENCY;
        // Other proxies answer 503 or 500 if there is no application.
        return open && (cell != Cell.BAD_GATEWAY || product.name().startsWith("nginx"));
    }

    private static boolean isPlanned(Product product, Cell cell) {
        boolean isJob = !cell.isOpen() && !cell.isShared() && !cell.isDisturbed();
        return isJob || EXAMPLES.contains(product.name());
    }

    private static boolean isPlanned(Product product, Cell cell, ClientKind client) {
        return client.isThrottle()
                || (EXAMPLES.contains(product.name()) && cell == Cell.JOB_8)
                || (EXAMPLES.contains(product.name()) && client == ClientKind.BACKOFF)
                || (cell == Cell.JOB_8 && client == ClientKind.BACKOFF);
    }
}
