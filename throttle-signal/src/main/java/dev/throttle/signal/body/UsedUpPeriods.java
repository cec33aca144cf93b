package dev.throttle.signal.body;

import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.header.GoDurations;
import dev.throttle.signal.header.HeaderHintParser;
import dev.throttle.signal.header.Millis;
import dev.throttle.signal.header.Names;
import dev.throttle.signal.header.Text;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refusals because a quota of a day or a month is used up. If its end is near, a call waits for it. Otherwise the call
 * is denied, and the hints say how long later calls of the same quota would have to wait.
 *
 * <p>Where a body names no time, the quota ends with the day or the month in which the response was sent.
 */
public final class UsedUpPeriods {

    /** A call that would have to wait for longer than this gets the refusal at once. */
    static final Duration LONGEST_WAIT = Duration.ofMinutes(15);
    /** Where not even the date of the response is known. */
    private static final Duration UNKNOWN = Duration.ofHours(1);

    private static final ZoneId GOOGLE = ZoneId.of("America/Los_Angeles");
    private static final Set<String> GOOGLE_REASONS = Set.of("dailyLimitExceeded", "dailyLimitExceededUnreg");

    private static final String OPENROUTER_HEADERS = "error.metadata.headers";
    private static final Pattern OPENROUTER = Pattern.compile("free-models-per-day[a-z-]*");
    private static final Pattern COHERE = Pattern.compile("\\d{1,9} api calls ?/ ?month");
    /** OpenAI and Groq. */
    private static final Pattern PER_DAY = Pattern.compile("on ([a-z]+ )?(tokens|requests) per day \\(([a-z]{3,6})\\)");

    private static final Pattern TRY_AGAIN = Pattern.compile("try again in ([0-9hms.µ]+s)\\.?");

    private enum Period {
        DAY,
        MONTH
    }

    private UsedUpPeriods() {}

    /** {@return what a refusal says about a used-up day or month; null if it is about neither} */
    public static @Nullable Signal read(ResponseHead response, Signal signal, String start) {
        Json body = Json.read(start);
        String message = Text.lower(body.at("error.message") + body.at("message") + body.at("errors.message"));
        Signal google = google(response, body);
        if (google != null) {
            return google;
        }
        Matcher openRouter = OPENROUTER.matcher(message);
        if (openRouter.find() || body.at("error.metadata.limit_source").contains("daily")) {
            String name = openRouter.reset().find() ? openRouter.group() : body.at("error.metadata.limit_source");
            return usedUp(name, openRouterWait(response, body), Period.DAY, ZoneOffset.UTC, response);
        }
        Matcher perDay = PER_DAY.matcher(message);
        if (perDay.find()) {
            Duration told = signal.hints().retryAfter();
            return usedUp(
                    perDay.group(3), told == null ? tryAgain(message) : told, Period.DAY, ZoneOffset.UTC, response);
        }
        if (COHERE.matcher(message).find()) {
            return usedUp("month", null, Period.MONTH, ZoneOffset.UTC, response);
        }
        boolean isAirtable = body.any("error", "PUBLIC_API_BILLING_LIMIT_EXCEEDED"::equals)
                || body.any("type", "PUBLIC_API_BILLING_LIMIT_EXCEEDED"::equals);
        return isAirtable ? usedUp("month", null, Period.MONTH, ZoneOffset.UTC, response) : null;
    }

    /** {@code GenerateRequestsPerDayPerProjectPerModel-FreeTier} comes with a delay of seconds, which is of no use. */
    static @Nullable Signal google(ResponseHead response, Json body) {
        List<String> ids = body.allAt("error.details.violations.quotaId");
        String id =
                ids.stream().filter(one -> one.contains("PerDay")).findFirst().orElse(null);
        if (id == null && !body.any("reason", GOOGLE_REASONS::contains)) {
            return null;
        }
        return usedUp(id == null ? "day" : id, null, Period.DAY, GOOGLE, response);
    }

    /** {@return how long the headers of an answer say to wait that OpenRouter shows in its body; null if not at all} */
    private static @Nullable Duration openRouterWait(ResponseHead response, Json body) {
        ZonedDateTime sent = sentAt(response, ZoneOffset.UTC);
        if (sent == null) {
            return null;
        }
        List<Json.Scalar> headers = body.membersOf(OPENROUTER_HEADERS);
        List<String> names = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (Json.Scalar header : headers) {
            names.add(header.name());
            values.add(header.value());
        }
        return HeaderHintParser.standard()
                .read(
                        new HeadersInBody(response, names, values),
                        sent.toInstant().toEpochMilli())
                .refusalWait();
    }

    private static @Nullable Duration tryAgain(String message) {
        Matcher time = TRY_AGAIN.matcher(message);
        long millis = time.find() ? GoDurations.millis(time.group(1)) : Millis.NONE;
        return millis == Millis.NONE ? null : Duration.ofMillis(millis);
    }

    private static Signal usedUp(
            String name, @Nullable Duration told, Period period, ZoneId zone, ResponseHead response) {
        Duration wait = told == null ? untilEnd(period, zone, response) : told;
        Outcome outcome = wait.compareTo(LONGEST_WAIT) <= 0 ? Outcome.RATE_LIMITED : Outcome.DENIED;
        String shown = Names.inBody(name);
        String ofPeriod = period == Period.DAY ? "day" : "month";
        return Signal.of(outcome, new RateHints(wait, List.of(Quota.named(shown == null ? ofPeriod : shown))));
    }

    private static Duration untilEnd(Period period, ZoneId zone, ResponseHead response) {
        ZonedDateTime sent = sentAt(response, zone);
        if (sent == null) {
            return UNKNOWN;
        }
        LocalDate day = sent.toLocalDate();
        LocalDate next =
                period == Period.DAY ? day.plusDays(1) : day.withDayOfMonth(1).plusMonths(1);
        return Duration.between(sent, next.atStartOfDay(zone));
    }

    /** {@return when a response was sent; null if it does not say} */
    private static @Nullable ZonedDateTime sentAt(ResponseHead response, ZoneId zone) {
        for (String date : response.headers("date")) {
            try {
                return ZonedDateTime.parse(date.strip(), DateTimeFormatter.RFC_1123_DATE_TIME)
                        .withZoneSameInstant(zone);
            } catch (DateTimeException e) {
                // It is no date, as servers may send anything.
            }
        }
        return null;
    }
}
