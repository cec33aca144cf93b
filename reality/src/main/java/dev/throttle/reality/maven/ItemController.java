package dev.throttle.reality.maven;

import dev.throttle.reality.Product;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application's answer, behind a limiter that is a filter. */
@RestController
class ItemController {

    @GetMapping({Product.PATH, JvmProduct.WARM_UP_PATH})
    String item() {
        return "ok";
    }
}
