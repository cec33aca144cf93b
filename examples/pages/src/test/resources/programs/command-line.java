// page: docs/command-line.md
import dev.throttle.*;
import dev.throttle.jdkhttp.*;
import dev.throttle.lease.*;
import java.net.*;
import java.net.http.*;
import java.net.http.HttpResponse.*;
import java.time.*;

public class Main {
    public static void main(String[] args) throws Exception {
        URI api = URI.create(args[0]);
        run(api);
        run(api); // a minute later
        System.exit(0);
    }

    static void run(URI api) throws Exception {
        // snippet 1
    }
}
