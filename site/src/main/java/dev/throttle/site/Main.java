package dev.throttle.site;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Makes a web site of the Markdown of this repository, and of the Javadoc where it has been made. */
public final class Main {

    private Main() {}

    /**
     * Writes the site.
     *
     * @param args the root of the repository, the folder to write to, and where files are on the web that are no part
     *     of the site
     * @throws IOException if a file cannot be read or written
     */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]).toAbsolutePath().normalize();
        Path out = Path.of(args[1]).toAbsolutePath().normalize();
        int pages = new Site(root, out, args[2]).write();
        List<String> broken = new LinkCheck(out).broken();
        if (!broken.isEmpty()) {
            throw new IllegalStateException("links that lead nowhere: " + broken);
        }
        System.out.println(pages + " pages in " + out.resolve("index.html"));
    }
}
