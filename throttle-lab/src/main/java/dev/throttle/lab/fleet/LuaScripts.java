package dev.throttle.lab.fleet;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LoadState;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.MathLib;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.VarArgFunction;

/** Runs the scripts that a fleet sends to Redis, as Redis would. */
final class LuaScripts {

    private static final Pattern DIRECTIVE = Pattern.compile("%(\\.\\d+)?([dfs%])");

    private final Globals globals = new Globals();
    private final Map<String, LuaValue> compiled = new HashMap<>();

    LuaScripts(RedisData data) {
        globals.load(new BaseLib());
        globals.load(new PackageLib());
        globals.load(new TableLib());
        globals.load(new StringLib());
        globals.load(new MathLib());
        LoadState.install(globals);
        LuaC.install(globals);
        // That of LuaJ knows no precision.
        globals.get("string").set("format", function(args -> LuaValue.valueOf(format(args))));
        LuaTable redis = new LuaTable();
        redis.set("call", function(args -> {
            List<String> texts = new ArrayList<>();
            for (int i = 2; i <= args.narg(); i++) {
                texts.add(args.checkjstring(i));
            }
            return toLua(data.call(args.checkjstring(1), texts));
        }));
        globals.set("redis", redis);
    }

    private interface Body {
        LuaValue of(Varargs args);
    }

    private static VarArgFunction function(Body body) {
        return new VarArgFunction() {
            @Override
            public Varargs invoke(Varargs args) {
                return body.of(args);
            }
        };
    }

    /** {@return what a script answers} */
    List<Object> run(String text, String[] keys, String[] args) {
        globals.set("KEYS", table(keys));
        globals.set("ARGV", table(args));
        LuaValue answer = compiled.computeIfAbsent(text, globals::load).call();
        return answer.istable() ? list(answer.checktable()) : List.of();
    }

    private static LuaTable table(String[] values) {
        LuaTable table = new LuaTable();
        for (int i = 0; i < values.length; i++) {
            table.set(i + 1, text(values[i]));
        }
        return table;
    }

    private static LuaValue text(String value) {
        return LuaValue.valueOf(value.getBytes(StandardCharsets.UTF_8));
    }

    /** Nothing is false there. */
    private static LuaValue toLua(@Nullable Object value) {
        if (value == null) {
            return LuaValue.FALSE;
        }
        if (value instanceof Long number) {
            return LuaValue.valueOf((double) number);
        }
        if (value instanceof List<?> values) {
            LuaTable table = new LuaTable();
            for (int i = 0; i < values.size(); i++) {
                table.set(i + 1, toLua(values.get(i)));
            }
            return table;
        }
        return text(String.valueOf(value));
    }

    private static List<Object> list(LuaTable table) {
        List<Object> values = new ArrayList<>();
        for (int i = 1; i <= table.length(); i++) {
            LuaValue value = table.get(i);
            if (value.istable()) {
                values.add(list(value.checktable()));
            } else if (value.type() == LuaValue.TNUMBER) {
                values.add(value.tolong());
            } else {
                values.add(value.tojstring());
            }
        }
        return values;
    }

    private static String format(Varargs args) {
        Matcher matcher = DIRECTIVE.matcher(args.checkjstring(1));
        StringBuilder text = new StringBuilder();
        int next = 2;
        while (matcher.find()) {
            String value;
            switch (matcher.group(2)) {
                case "%" -> value = "%";
                case "s" -> value = args.arg(next++).tojstring();
                case "d" -> value = String.valueOf(args.checklong(next++));
                default -> value = String.format(Locale.ROOT, matcher.group(), args.checkdouble(next++));
            }
            matcher.appendReplacement(text, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(text).toString();
    }
}
