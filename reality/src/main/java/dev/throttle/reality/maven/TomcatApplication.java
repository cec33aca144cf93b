package dev.throttle.reality.maven;

import dev.throttle.reality.Product;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.filters.RateLimitFilter;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** Tomcat with its RateLimitFilter. */
public final class TomcatApplication {

    private TomcatApplication() {}

    /**
     * Runs it.
     *
     * @param args the port, 0, and parameters of the filter such as {@code bucketRequests=100}
     * @throws LifecycleException if it does not start
     */
    public static void main(String[] args) throws LifecycleException {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(".");
        Connector connector = new Connector();
        connector.setPort(Integer.parseInt(args[0]));
        connector.setProperty("address", "127.0.0.1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);

        FilterDef filter = new FilterDef();
        filter.setFilterName("limit");
        filter.setFilterClass(RateLimitFilter.class.getName());
        for (int i = 2; i < args.length; i++) {
            String[] parameter = args[i].split("=", 2);
            filter.addInitParameter(parameter[0], parameter[1]);
        }
        context.addFilterDef(filter);
        FilterMap limited = new FilterMap();
        limited.setFilterName("limit");
        limited.addURLPattern(Product.PATH);
        context.addFilterMap(limited);

        Tomcat.addServlet(context, "item", new Item());
        context.addServletMappingDecoded(Product.PATH, "item");
        context.addServletMappingDecoded(JvmProduct.WARM_UP_PATH, "item");
        tomcat.start();
        tomcat.getServer().await();
    }

    private static final class Item extends HttpServlet {

        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().write("ok");
        }
    }
}
