// page: README.md
// instead of throttle-okhttp: throttle-jdkhttp
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class Main {
    public static void main(String[] args) throws Exception {
        // snippet 2
        HttpRequest request = HttpRequest.newBuilder(URI.create(args[0])).build();
        System.out.println(client.send(request, BodyHandlers.ofString()).body());
        System.exit(0);
    }
}
