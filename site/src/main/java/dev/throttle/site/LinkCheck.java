package dev.throttle.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Follows every link of the site that does not leave it. */
final class LinkCheck {

    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]+)\"");
    private static final Pattern ID = Pattern.compile("id=\"([^\"]+)\"");

    private final Path site;
    private final Map<Path, Set<String>> ids = new HashMap<>();

    LinkCheck(Path site) {
        this.site = site;
    }

    /** {@return the links that lead nowhere, with their pages; Javadoc checks its own} */
    List<String> broken() throws IOException {
        List<String> broken = new ArrayList<>();
        try (Stream<Path> files = Files.walk(site)) {
            for (Path page : files.filter(file -> file.toString().endsWith(".html"))
                    .filter(file -> !file.startsWith(site.resolve("api")))
                    .toList()) {
                for (MatchResult link :
                        LINK.matcher(Files.readString(page)).results().toList()) {
                    if (!leads(page, link.group(1))) {
                        broken.add(site.relativize(page) + ": " + link.group(1));
                    }
                }
            }
        }
        return broken;
    }

    private boolean leads(Path page, String link) throws IOException {
        if (link.matches("[a-z]+:.*")) {
            return true;
        }
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        return Files.isRegularFile(target) && (hash < 0 || idsOf(target).contains(link.substring(hash + 1)));
    }

    private Set<String> idsOf(Path page) throws IOException {
        Set<String> known = ids.get(page);
        if (known == null) {
            known = new HashSet<>();
            for (MatchResult id : ID.matcher(Files.readString(page)).results().toList()) {
                known.add(id.group(1));
            }
            ids.put(page, known);
        }
        return known;
    }
}
