package dev.throttle.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a response head as curl prints it; the body is left alone. */
record HttpHead(RecordedResponse response) {

    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/[0-9.]+ +([1-9][0-9]{2})(?: .*)?");
    private static final String INFORMATIONAL = "1";

    static HttpHead read(InputStream in) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1));
        long number = 1;
        String line = lines.readLine();
        while (true) {
            if (line == null) {
                throw new IOException("line " + number + ": no status line such as HTTP/1.1 429 Too Many Requests");
            }
            Matcher status = STATUS_LINE.matcher(line.strip());
            if (!status.matches()) {
                throw new IOException("line " + number + ": '" + line.strip()
                        + "' is no status line such as HTTP/1.1 429 Too Many Requests");
            }
            List<Map.Entry<String, String>> headers = new ArrayList<>();
            line = lines.readLine();
            number++;
            while (line != null && !line.isBlank()) {
                int colon = line.indexOf(':');
                if (colon <= 0) {
                    throw new IOException("line " + number + ": '" + line.strip() + "' is no header");
                }
                headers.add(Map.entry(
                        line.substring(0, colon).strip(),
                        line.substring(colon + 1).strip()));
                line = lines.readLine();
                number++;
            }
            if (!status.group(1).startsWith(INFORMATIONAL)) {
                return new HttpHead(new RecordedResponse(Integer.parseInt(status.group(1)), "", headers));
            }
            line = lines.readLine(); // 100 Continue and 103 Early Hints come before the answer
            number++;
        }
    }
}
