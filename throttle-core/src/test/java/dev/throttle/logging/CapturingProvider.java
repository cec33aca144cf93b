package dev.throttle.logging;

import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** Logs to {@link CapturedLog} and nowhere else. */
public final class CapturingProvider implements SLF4JServiceProvider {

    private static final Capturing LOGGER = new Capturing();

    private static final class Capturing extends LegacyAbstractLogger {

        private static final long serialVersionUID = 1L;

        @Override
        public boolean isTraceEnabled() {
            return CapturedLog.isEnabled(Level.TRACE);
        }

        @Override
        public boolean isDebugEnabled() {
            return CapturedLog.isEnabled(Level.DEBUG);
        }

        @Override
        public boolean isInfoEnabled() {
            return CapturedLog.isEnabled(Level.INFO);
        }

        @Override
        public boolean isWarnEnabled() {
            return CapturedLog.isEnabled(Level.WARN);
        }

        @Override
        public boolean isErrorEnabled() {
            return CapturedLog.isEnabled(Level.ERROR);
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return "";
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, Marker marker, String message, Object[] arguments, Throwable failure) {
            CapturedLog.add(level, MessageFormatter.basicArrayFormat(message, arguments));
        }
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> LOGGER;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return new BasicMarkerFactory();
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return new NOPMDCAdapter();
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}
}
