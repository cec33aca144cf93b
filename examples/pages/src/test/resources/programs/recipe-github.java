// page: docs/recipes/github.md
public class Main {
    public static void main(String[] args) throws Exception {
        String api = args[0];
        String key = "none";
        // snippet 1
        // snippet 2
        System.out.println(github.getRepository("cook/served").getName());
        System.exit(0);
    }
}
