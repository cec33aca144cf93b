package dev.throttle.lease.file;

import dev.throttle.lease.fleet.FleetKeys;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a fleet, below one of the user's. Only the user may read it. Links and what belongs to others is
 * refused, because another user could have put it there. Thread-safe.
 */
final class FleetFolder {

    private static final Set<OpenOption> OPTIONS = Set.of(
            StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS);
    private static final String POSIX = "posix";
    private static final int LONGEST_NAME = 100;
    private static final int DIGITS = 32;

    private final Path parent;
    private final Path folder;
    private final boolean isPosix;
    private final UnaryOperator<Disk> disks;

    /**
     * A file that is open.
     *
     * @param identity what tells it from another under the same path; null where the system does not say
     */
    record Opened(Path path, @Nullable Object identity, Disk disk) {

        /** {@return whether it is still the file under its path} */
        boolean isThere() throws IOException {
            try {
                return Objects.equals(identity, identityOf(path));
            } catch (NoSuchFileException e) {
                return false;
            }
        }
    }

    FleetFolder(Path parent, String fleet, UnaryOperator<Disk> disks) {
        this.parent = parent.toAbsolutePath().normalize();
        this.folder = this.parent.resolve(fileName(fleet));
        this.isPosix = parent.getFileSystem().supportedFileAttributeViews().contains(POSIX);
        this.disks = disks;
    }

    /** {@return a name that every file system takes} */
    private static String fileName(String fleet) {
        String name =
                "fleet-" + URLEncoder.encode(fleet, StandardCharsets.UTF_8).replace("*", "%2A");
        return name.length() <= LONGEST_NAME
                ? name
                : "fleet-" + FleetKeys.hex("SHA-256", fleet).substring(0, DIGITS);
    }

    /** {@return where programs of this user keep such things, by the habits of the system} */
    static Path ofUser(UnaryOperator<@Nullable String> environment, String home, String system) {
        String name = system.toLowerCase(Locale.ROOT);
        String local = environment.apply("LOCALAPPDATA");
        String state = environment.apply("XDG_STATE_HOME");
        if (name.contains("windows") && local != null && !local.isBlank()) {
            return Path.of(local, "throttle");
        }
        if (name.contains("mac")) {
            return Path.of(home, "Library", "Application Support", "throttle");
        }
        boolean isGiven = state != null && Path.of(state).isAbsolute(); // others are to be ignored, says its standard
        if (!isGiven && !Path.of(home).isAbsolute()) { // as for a user without an entry in a container
            throw new IllegalStateException(
                    "this user has no home (user.home is " + home + "), so a fleet needs folder(path)");
        }
        return isGiven ? Path.of(state, "throttle") : Path.of(home, ".local", "state", "throttle");
    }

    Path path() {
        return folder;
    }

    private FileAttribute<?>[] mode(String permissions) {
        return isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /**
     * Makes the folder if there is none.
     *
     * @throws RefusedException if it is a link, or belongs to another user
     * @throws IOException if it cannot be used
     */
    void prepare() throws IOException {
        Files.createDirectories(parent.getParent() == null ? parent : parent.getParent());
        makeFolder(parent);
        makeFolder(folder);
        if (isPosix) {
            requireOwn();
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        }
    }

    private void makeFolder(Path path) throws IOException {
        try {
            Files.createDirectory(path, mode("rwx------"));
        } catch (FileAlreadyExistsException e) {
            BasicFileAttributes there =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (there.isSymbolicLink()) {
                throw new RefusedException(path + " is a symbolic link; name the folder that it leads to");
            }
            if (!there.isDirectory()) {
                throw new RefusedException(path + " is not a folder");
            }
        }
    }

    /** The owner of a new file is the user of this process. */
    private void requireOwn() throws IOException {
        Path mine = Files.createFile(folder.resolve("owner-" + UUID.randomUUID()), mode("rw-------"));
        try {
            requireOwner(folder, Files.getOwner(mine, LinkOption.NOFOLLOW_LINKS));
        } finally {
            Files.deleteIfExists(mine);
        }
    }

    /** Refuses what belongs to another user. */
    static void requireOwner(Path path, UserPrincipal user) throws IOException {
        UserPrincipal owner = Files.getOwner(path, LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(user)) {
            throw new RefusedException(path + " belongs to " + owner.getName() + ", and this process runs as "
                    + user.getName() + "; name another folder");
        }
    }

    /** Refuses a file of the folder that is a link or belongs to another user, if it is there. */
    void check(String name) throws IOException {
        Path path = folder.resolve(name);
        if (Files.isSymbolicLink(path)) {
            throw new RefusedException(path + " is a symbolic link");
        }
        if (isPosix && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            requireOwner(path, Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS));
        }
    }

    private static @Nullable Object identityOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /**
     * {@return a file of the folder, made if there is none}
     *
     * @throws RefusedException if it is a link, or belongs to another user
     * @throws IOException if it cannot be used
     */
    Opened open(String name) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            prepare();
        }
        Path path = folder.resolve(name);
        check(name);
        FileChannel channel = FileChannel.open(path, OPTIONS, mode("rw-------"));
        try {
            BasicFileAttributes there =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!there.isRegularFile()) {
                throw new RefusedException(path + " is not a file");
            }
            if (isPosix) {
                requireOwner(path, Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS));
                Map<String, Object> links = Files.readAttributes(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS);
                if (!Integer.valueOf(1).equals(links.get("nlink"))) {
                    throw new RefusedException(path + " has a second name, a hard link");
                }
            }
            return new Opened(path, there.fileKey(), disks.apply(Disk.of(channel)));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }
}
