package dev.throttle.spring.boot;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Warns of environment variables and system properties that look like properties of the throttles and are none. They do
 * not stop the start, as other names do: Kubernetes makes variables such as {@code THROTTLE_PORT} for a service of that
 * name.
 */
final class UnknownNames {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.spring");

    private UnknownNames() {}

    static void warnOf(Environment environment) {
        UnboundElementsSourceFilter others = new UnboundElementsSourceFilter();
        Set<String> bound = new HashSet<>();
        BindHandler collecting = new AbstractBindHandler() {
            @Override
            public Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                bound.add(plain(name));
                return result;
            }
        };
        NoUnboundElementsBindHandler handler =
                new NoUnboundElementsBindHandler(collecting, source -> !others.apply(source));
        try {
            Binder.get(environment).bind("throttle", Bindable.of(ThrottleProperties.class), handler);
        } catch (BindException e) {
            if (e.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
                List<String> names = unbound.getUnboundProperties().stream()
                        .filter(property -> !bound.contains(plain(property.getName())))
                        .map(UnknownNames::named)
                        .sorted()
                        .toList();
                if (!names.isEmpty()) {
                    LOG.warn(
                            "There are no such properties of Throttle, and they are ignored: {}",
                            String.join(", ", names));
                }
            }
        }
    }

    /**
     * {@return a name without what variables cannot tell apart: THROTTLE_MAX_WAIT is max-wait, and read as max.wait}
     */
    private static String plain(ConfigurationPropertyName name) {
        return name.toString().replace(".", "").replace("-", "").toLowerCase(Locale.ROOT);
    }

    private static String named(ConfigurationProperty property) {
        return property.getName() + (property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")");
    }
}
