package dev.throttle.signal.body;

import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.header.Text;

/** What kind of text a body is. */
final class ContentTypes {

    private ContentTypes() {}

    /** {@return whether a response says that its body is JSON of some kind} */
    static boolean isJson(ResponseHead response) {
        for (String type : response.headers("content-type")) {
            if (Text.lower(type).contains("json")) {
                return true;
            }
        }
        return false;
    }
}
