package dev.sluice.harness.machine;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a thread that sleeps and wakes run at once beside threads that compute all the time. On
 * Linux 6.12 or later the thread asks for its share of the processors in short slices, {@code
 * sched_runtime} of sched_setattr(2): it need not wait, when it wakes, until another's slice is
 * over. No privilege is needed. Elsewhere this class does nothing.
 */
public final class PromptThread {
  private static final Logger LOG = LoggerFactory.getLogger(PromptThread.class);

  /**
   * Slice asked for, the shortest that Linux takes. With 0.5 ms threads were late twice as often.
   */
  private static final long SLICE_NS = 100_000;

  /** Size of {@code struct sched_attr} in its first version. */
  private static final int ATTRIBUTES_BYTES = 48;

  private static final int POLICY_OFFSET = 4;
  private static final int RUNTIME_OFFSET = 24;
  private static final int SCHED_OTHER = 0;

  private static final @Nullable Calls CALLS = calls();

  private PromptThread() {}

  interface C extends Library {
    NativeLong syscall(NativeLong number, Object... arguments);
  }

  /** Numbers of sched_setattr and sched_getattr on this processor. */
  private record Calls(C library, long set, long get) {
    static @Nullable Calls load() {
      return switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
        case "amd64", "x86_64" -> new Calls(Native.load("c", C.class), 314, 315);
        case "aarch64" -> new Calls(Native.load("c", C.class), 274, 275);
        default -> null;
      };
    }
  }

  /**
   * Loads on a thread of the common pool: JNA waits for a process, ldconfig, and forgets an
   * interruption that it meets there.
   */
  private static @Nullable Calls calls() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return null;
    }
    try {
      return CompletableFuture.supplyAsync(Calls::load).join();
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof LinkageError)) {
        throw e;
      }
      LOG.info("threads that wait wake as any others: {}", e.getCause().toString());
      return null;
    }
  }

  /** Loads what {@link #becomePrompt} needs, so that no thread waits for the loading later. */
  public static void prepare() {
    var loading =
        new Thread(
            () -> LOG.debug("prompt threads: {}", CALLS == null ? "none" : "on request"),
            "sluice-prompt-threads");
    loading.setDaemon(true);
    loading.start();
  }

  /**
   * Asks for short slices for the calling thread and those that it begins; false: not granted. An
   * older system may accept the wish without heeding it.
   */
  static boolean becomePrompt() {
    Calls calls = CALLS;
    if (calls == null) {
      return false;
    }
    try (var attributes = new Memory(ATTRIBUTES_BYTES)) {
      attributes.clear();
      if (call(calls.library, calls.get, attributes, ATTRIBUTES_BYTES, 0) != 0
          || attributes.getInt(POLICY_OFFSET) != SCHED_OTHER) {
        return false;
      }
      attributes.setLong(RUNTIME_OFFSET, SLICE_NS);
      return call(calls.library, calls.set, attributes, 0) == 0;
    }
  }

  /** Makes a system call for the calling thread, which is number 0 to these calls. */
  private static long call(C library, long number, Memory attributes, Object... more) {
    Object[] arguments = new Object[2 + more.length];
    arguments[0] = 0;
    arguments[1] = attributes;
    System.arraycopy(more, 0, arguments, 2, more.length);
    return library.syscall(new NativeLong(number), arguments).longValue();
  }
}
