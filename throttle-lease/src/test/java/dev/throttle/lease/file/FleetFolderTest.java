package dev.throttle.lease.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.lease.FileFleet;
import dev.throttle.lease.Fleet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only the user may read what a fleet keeps, and nobody can lead it elsewhere. */
class FleetFolderTest {

    @TempDir
    private Path parent;

    private FleetFolder folder() {
        return new FleetFolder(parent, "shop", UnaryOperator.identity());
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void onlyTheUserMayReadIt() throws IOException {
        folder().open("memory").disk().close();
        Path made = parent.resolve("fleet-shop");
        assertThat(mode(made)).isEqualTo("rwx------");
        assertThat(mode(made.resolve("memory"))).isEqualTo("rw-------");
        try (Stream<Path> files = Files.list(made)) {
            assertThat(files).containsExactly(made.resolve("memory"));
        }
    }

    @Test
    void aFolderThatOthersMayReadIsClosedToThem() throws IOException {
        Path there = Files.createDirectory(parent.resolve("fleet-shop"));
        Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwxrwxr-x"));
        folder().prepare();
        assertThat(mode(there)).isEqualTo("rwx------");
    }

    @Test
    void linksAreRefused() throws IOException {
        Path elsewhere = Files.createDirectory(parent.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(parent.resolve("link"), elsewhere);
        assertThatIllegalStateException()
                .isThrownBy(() -> FileFleet.builder("shop").folder(link).build())
                .withMessageContaining(link + " is a symbolic link");
        Files.createSymbolicLink(parent.resolve("fleet-shop"), elsewhere);
        assertThatIllegalStateException()
                .isThrownBy(() -> FileFleet.builder("shop").folder(parent).build())
                .withMessageContaining("fleet-shop is a symbolic link");
        try (Stream<Path> files = Files.list(elsewhere)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void filesThatAreLinksAreRefused() throws IOException {
        folder().prepare();
        Path elsewhere = Files.writeString(parent.resolve("elsewhere"), "mine");
        Files.createSymbolicLink(parent.resolve("fleet-shop/memory"), elsewhere);
        Files.createLink(parent.resolve("fleet-shop/limits"), elsewhere);
        assertThatThrownBy(() -> folder().open("memory")).hasMessageContaining("is a symbolic link");
        assertThatThrownBy(() -> folder().open("limits")).hasMessageContaining("hard link");
        assertThat(elsewhere).hasContent("mine");
    }

    @Test
    void aFileInThePlaceOfAFolderIsRefused() throws IOException {
        Files.writeString(parent.resolve("fleet-shop"), "");
        assertThatIllegalStateException()
                .isThrownBy(() -> FileFleet.builder("shop").folder(parent).build())
                .withMessageContaining("is not a folder");
    }

    /** Who is not root cannot give something away: so that it is asked whether it belongs to another. */
    @Test
    void whatBelongsToSomebodyElseIsRefused() throws IOException {
        folder().prepare();
        Path mine = parent.resolve("fleet-shop");
        UserPrincipal other = () -> "somebody";
        assertThatThrownBy(() -> FleetFolder.requireOwner(mine, other))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("belongs to")
                .hasMessageContaining("runs as somebody");
        FleetFolder.requireOwner(mine, Files.getOwner(parent));
        if (Integer.valueOf(0).equals(Files.getAttribute(parent, "unix:uid"))) {
            Files.setAttribute(mine, "unix:uid", 12_345);
            assertThatIllegalStateException()
                    .isThrownBy(() -> FileFleet.builder("shop").folder(parent).build())
                    .withMessageContaining("belongs to");
        }
    }

    @Test
    void namesOfFleetsAreNamesOfFolders() {
        for (String name : List.of("..", "a/b", "con*", "ü", "x".repeat(100), "/".repeat(100))) {
            Path path = new FleetFolder(parent, name, UnaryOperator.identity()).path();
            assertThat(path.getParent()).isEqualTo(parent);
            assertThat(path.getFileName().toString()).matches("fleet-[\\w.%+-]{1,100}");
        }
    }

    @Test
    void theFolderOfAUserIsThatOfTheSystem() {
        assertThat(FleetFolder.ofUser(name -> null, "/home/me", "Linux"))
                .isEqualTo(Path.of("/home/me/.local/state/throttle"));
        assertThat(FleetFolder.ofUser(Map.of("XDG_STATE_HOME", "/state")::get, "/home/me", "Linux"))
                .isEqualTo(Path.of("/state/throttle"));
        assertThat(FleetFolder.ofUser(Map.of("XDG_STATE_HOME", "state")::get, "/home/me", "Linux"))
                .isEqualTo(Path.of("/home/me/.local/state/throttle"));
        assertThat(FleetFolder.ofUser(name -> null, "/Users/me", "Mac OS X"))
                .isEqualTo(Path.of("/Users/me/Library/Application Support/throttle"));
        assertThat(FleetFolder.ofUser(Map.of("LOCALAPPDATA", "/local")::get, "/home", "Windows 11"))
                .isEqualTo(Path.of("/local/throttle"));
    }

    /** What cannot be written today may be tomorrow, so the process starts. */
    @Test
    void aFolderThatCannotBeMadeIsNoReasonNotToStart() throws IOException {
        Path file = Files.writeString(parent.resolve("file"), "");
        try (Fleet fleet = FileFleet.builder("shop")
                .folder(file.resolve("a").resolve("b"))
                .startTimeout(Duration.ZERO)
                .build()) {
            assertThat(fleet.isConnected()).isFalse();
        }
    }
}
