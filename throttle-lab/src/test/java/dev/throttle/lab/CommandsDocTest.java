package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The lab understands every command of the documents. */
class CommandsDocTest {

    private static final Pattern COMMAND =
            Pattern.compile("^.*java -jar \\S*throttle-lab\\.jar +([a-z][^\n<`]*)", Pattern.MULTILINE);

    private static final Pattern ARGUMENT = Pattern.compile("\"[^\"]*\"|\\S+");

    @Test
    void everyCommandIsUnderstood() throws IOException {
        List<String> wrong = new ArrayList<>();
        int count = 0;
        try (Stream<Path> pages = Files.walk(Path.of("..", "docs"))) {
            for (Path page :
                    pages.filter(file -> file.toString().endsWith(".md")).toList()) {
                for (MatchResult command :
                        COMMAND.matcher(Files.readString(page)).results().toList()) {
                    count++;
                    String arguments = command.group(1).replaceAll(" --strategies \\.\\.\\..*", " --strategies none");
                    try {
                        Main.commandLine()
                                .parseArgs(ARGUMENT.matcher(arguments)
                                        .results()
                                        .map(argument -> argument.group().replace("\"", ""))
                                        .toArray(String[]::new));
                    } catch (CommandLine.ParameterException e) {
                        wrong.add(page.getFileName() + ": " + arguments + ": " + e.getMessage());
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(count).isGreaterThan(20);
    }
}
