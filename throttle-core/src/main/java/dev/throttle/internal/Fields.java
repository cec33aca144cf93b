package dev.throttle.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Handles of fields that are changed atomically, where an object for each would be one too many. */
public final class Fields {

    private Fields() {}

    /**
     * {@return the handle of a field}
     *
     * @param lookup of the class that asks
     * @param owner the class that has the field
     * @param name its name
     * @param type its type
     */
    public static VarHandle handle(MethodHandles.Lookup lookup, Class<?> owner, String name, Class<?> type) {
        try {
            return lookup.findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
