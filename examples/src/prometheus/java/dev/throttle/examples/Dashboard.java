package dev.throttle.examples;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The dashboard of the documents: its queries, and pictures of what Prometheus answers to them. */
final class Dashboard {

    private static final Pattern NAME = Pattern.compile("\\{\\{(\\w+)}}");

    private final List<Section> sections;

    /** A row of panels under one heading. */
    private record Section(String title, List<Panel> panels) {}

    private record Panel(String title, String unit, boolean isStacked, List<Target> targets) {}

    private record Target(String expression, String legend) {}

    private Dashboard(List<Section> sections) {
        this.sections = sections;
    }

    static Dashboard read(Path file) throws IOException {
        List<Section> sections = new ArrayList<>();
        for (Map<String, Object> panel :
                PrometheusCheck.maps(JSON.std.mapFrom(Files.readString(file)).get("panels"))) {
            String title = (String) panel.get("title");
            if ("row".equals(panel.get("type"))) {
                sections.add(new Section(title, new ArrayList<>()));
                continue;
            }
            Map<String, Object> defaults = PrometheusCheck.map(
                    PrometheusCheck.map(panel.get("fieldConfig")).get("defaults"));
            Map<String, Object> stacking = PrometheusCheck.map(
                    PrometheusCheck.map(defaults.get("custom")).get("stacking"));
            List<Target> targets = PrometheusCheck.maps(panel.get("targets")).stream()
                    .map(target -> new Target((String) target.get("expr"), (String) target.get("legendFormat")))
                    .toList();
            sections.get(sections.size() - 1)
                    .panels()
                    .add(new Panel(
                            title, (String) defaults.get("unit"), "normal".equals(stacking.get("mode")), targets));
        }
        return new Dashboard(sections);
    }

    /** {@return its queries, for all throttles and keys} */
    List<String> expressions(String rateInterval) {
        return sections.stream()
                .flatMap(section -> section.panels().stream())
                .flatMap(panel -> panel.targets().stream())
                .map(target -> expression(target, rateInterval))
                .toList();
    }

    private static String expression(Target target, String rateInterval) {
        return target.expression()
                .replace("$__rate_interval", rateInterval)
                .replace("$throttle", ".*")
                .replace("$key", ".*");
    }

    /** Draws a picture of each section into a folder; {@return the files} */
    List<Path> draw(Prometheus prometheus, long start, long end, Path folder) throws IOException, InterruptedException {
        List<Path> files = new ArrayList<>();
        for (Section section : sections) {
            PanelPicture picture = new PanelPicture(start, end);
            for (Panel panel : section.panels()) {
                List<PanelPicture.Line> lines = new ArrayList<>();
                for (Target target : panel.targets()) {
                    Map<String, Object> answer = prometheus.queryRange(expression(target, "10s"), start, end, 1);
                    for (Map<String, Object> series : PrometheusCheck.maps(
                            PrometheusCheck.map(answer.get("data")).get("result"))) {
                        lines.add(line(target, series));
                    }
                }
                picture.add(panel.title(), panel.unit(), panel.isStacked(), lines);
            }
            Path file = folder.resolve("dashboard-" + section.title().toLowerCase(Locale.ROOT) + ".svg");
            Files.writeString(file, picture.svg());
            files.add(file);
        }
        return files;
    }

    private static PanelPicture.Line line(Target target, Map<String, Object> series) {
        Map<String, Object> labels = PrometheusCheck.map(series.get("metric"));
        Matcher name = NAME.matcher(target.legend());
        String legend = name.replaceAll(
                found -> Matcher.quoteReplacement(String.valueOf(labels.getOrDefault(found.group(1), ""))));
        List<double[]> points = new ArrayList<>();
        for (Object each : (List<?>) series.get("values")) {
            List<?> point = (List<?>) each;
            double value = Double.parseDouble((String) point.get(1));
            if (Double.isFinite(value)) {
                points.add(new double[] {((Number) point.get(0)).doubleValue(), value});
            }
        }
        return new PanelPicture.Line(legend, points);
    }
}
