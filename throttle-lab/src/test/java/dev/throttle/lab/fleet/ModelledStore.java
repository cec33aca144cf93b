package dev.throttle.lab.fleet;

import dev.throttle.lease.file.FileData;
import dev.throttle.lease.fleet.Step;
import dev.throttle.redis.ScriptTexts;
import java.util.List;

/** A store whose time and losses a model decides about, and which it can take back to where it was. */
interface ModelledStore {

    List<Object> run(Step step, String[] keys, String[] args);

    void setTime(long micros);

    /** Loses all. */
    void lose();

    /** {@return what brings back what is kept now, which may be done several times} */
    Runnable saved();

    /** {@return the scripts of Redis, or what a file does in their place} */
    static ModelledStore of(String where) {
        return where.equals("redis") ? redis() : file();
    }

    static ModelledStore redis() {
        RedisData data = new RedisData((channel, text) -> {});
        LuaScripts scripts = new LuaScripts(data);
        return new ModelledStore() {
            @Override
            public List<Object> run(Step step, String[] keys, String[] args) {
                return scripts.run(ScriptTexts.of(step), keys, args);
            }

            @Override
            public void setTime(long micros) {
                data.setTime(micros);
            }

            @Override
            public void lose() {
                data.lose(key -> true);
            }

            @Override
            public Runnable saved() {
                return data.saved();
            }
        };
    }

    static ModelledStore file() {
        FileData data = new FileData();
        return new ModelledStore() {
            @Override
            public List<Object> run(Step step, String[] keys, String[] args) {
                return data.run(step, keys, args);
            }

            @Override
            public void setTime(long micros) {
                data.setTime(micros);
            }

            @Override
            public void lose() {
                data.lose();
            }

            @Override
            public Runnable saved() {
                return data.saved();
            }
        };
    }
}
