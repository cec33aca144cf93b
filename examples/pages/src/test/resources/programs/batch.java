// page: docs/batch.md
import dev.throttle.*;
import dev.throttle.control.*;
import dev.throttle.jdkhttp.*;
import java.net.*;
import java.net.http.*;
import java.net.http.HttpResponse.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Main {
    public static void main(String[] args) throws Exception {
        URI api = URI.create(args[0]);
        List<String> items = IntStream.range(0, 1000).mapToObj(String::valueOf).toList();
        Queue<String> done = new ConcurrentLinkedQueue<>();
        java.util.concurrent.atomic.AtomicBoolean ending = new java.util.concurrent.atomic.AtomicBoolean();
        Queue<String> failed = new ConcurrentLinkedQueue<>();
        // snippet 1
        // snippet 3
        // snippet 2
        if (!failed.isEmpty() || done.size() != items.size()) {
            throw new AssertionError(done.size() + " done, " + failed.size() + " failed");
        }
        // snippet 4
        System.out.println("served");
        System.exit(0);
    }
}
