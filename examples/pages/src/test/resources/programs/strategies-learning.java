// page: docs/strategies.md
// lists: 1
// and: dev.throttle:throttle-core
// calls: nothing
import com.netflix.concurrency.limits.limit.*;
import dev.throttle.*;
import dev.throttle.concurrencylimits.*;
import dev.throttle.control.*;

public class Main {
    public static void main(String[] args) throws Exception {
        // snippet 5
        System.out.println(throttle.execute(() -> "served"));
        // snippet 6
    }
}
