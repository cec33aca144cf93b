// page: README.md
// instead of throttle-okhttp: throttle-core
// calls: nothing
public class Main {
    static String callTheApi() {
        return "served";
    }

    public static void main(String[] args) throws Exception {
        // snippet 3
        System.out.println(answer);
    }
}
