// page: docs/recipes/spring-ai.md
// import: org.springframework.boot:spring-boot-dependencies:${spring-boot.version}
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

@SpringBootApplication
public class Main {
    // snippet 1

    public static void main(String[] args) {
        try (var context = new SpringApplicationBuilder(Main.class)
                .web(WebApplicationType.NONE)
                .properties("spring.ai.openai.base-url=" + args[0] + "/v1", "spring.ai.openai.api-key=none")
                .run()) {
            System.out.println(context.getBean(ChatModel.class).call("How are you?"));
        }
        System.exit(0);
    }
}
