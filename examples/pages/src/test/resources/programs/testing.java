// page: docs/testing.md
// and: dev.throttle:throttle-okhttp
// and: dev.throttle:throttle-jdkhttp
// calls: nothing
import dev.throttle.*;
import dev.throttle.control.*;
import dev.throttle.jdkhttp.*;
import dev.throttle.okhttp.*;
import dev.throttle.retry.*;
import dev.throttle.signal.*;
import dev.throttle.testing.*;
import java.net.http.*;
import java.net.http.HttpResponse.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;

public class Main {
    static int status;
    static long accepted;
    static final ThrottleRegistry registry = ThrottleRegistry.create();

    public static void main(String[] args) throws Exception {
        okHttp();
        jdk();
        throttle();
        byItself();
        byHand();
        server();
        if (status != 200 || accepted != 30) {
            throw new AssertionError(status + " " + accepted);
        }
        System.out.println("served");
        System.exit(0);
    }

    static void okHttp() {
        // snippet with ThrottlingInterceptor off
    }

    static void jdk() {
        // snippet with HttpClient off
    }

    static void throttle() {
        // snippet with Throttle off
    }

    static void byItself() throws Exception {
        // snippet with i < 250
    }

    static void byHand() throws Exception {
        // snippet with advance(Duration.ofMinutes(4))
        if (isEarly) {
            throw new AssertionError();
        }
    }

    static void server() throws Exception {
        // snippet with server.refuseNext(1, 503
    }
}
