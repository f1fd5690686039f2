package dev.sluice.executor.model;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Standard error of the engines' native code, apart from Java's. PyTorch and ONNX Runtime write
 * warnings to file descriptor 2, one of them at each inference on some machines. Once an engine is
 * prepared, that descriptor is a pipe whose lines go to the log, each sentence once and its count
 * when the log is closed; Java's standard error stays where it was.
 */
public final class EngineErrors {
  private static final Logger LOG = LoggerFactory.getLogger(EngineErrors.class);

  private static final int STANDARD_ERROR = 2;
  private static final int SENTENCES_MAX = 200;
  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

  /** Before a sentence: {@code [W1126 16:20:11.1 File.cpp:62]}, also after a date. */
  private static final Pattern PLACE = Pattern.compile("^[-0-9:. ]*\\[[A-Z][^]]*] *");

  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  /** Count of lines by sentence, with numbers masked. */
  private static final Map<String, Sentence> SENTENCES = new LinkedHashMap<>();

  private static @Nullable Standing standing;
  private static boolean diverted;

  private EngineErrors() {}

  private interface C extends Library {
    int dup(int descriptor) throws LastErrorException;

    int dup2(int from, int to) throws LastErrorException;

    int pipe(int[] ends) throws LastErrorException;

    int close(int descriptor) throws LastErrorException;

    int write(int descriptor, Memory bytes, long count) throws LastErrorException;
  }

  private static final class Sentence {
    private final String text;
    private long count;

    Sentence(String text) {
      this.text = text;
    }
  }

  /** Java's standard error: descriptor 2, or after the diversion a copy of what it was. */
  private static final class Standing extends OutputStream {
    private volatile OutputStream target = new FileOutputStream(FileDescriptor.err);

    @Override
    public void write(int b) throws IOException {
      target.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      target.write(bytes, offset, length);
    }
  }

  private static final class Copy extends OutputStream {
    private final C library;
    private final int descriptor;

    Copy(C library, int descriptor) {
      this.library = library;
      this.descriptor = descriptor;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (length == 0) {
        return;
      }
      try (var memory = new Memory(length)) {
        memory.write(0, bytes, offset, length);
        int written = 0;
        while (written < length) {
          Memory rest = written == 0 ? memory : (Memory) memory.share(written);
          written += library.write(descriptor, rest, length - written);
        }
      } catch (LastErrorException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
  }

  /**
   * Makes Java's standard error independent of descriptor 2. Called once, when a process begins; a
   * process that does not call it keeps its engines' lines among its own.
   */
  public static synchronized void separate() {
    standing = new Standing();
    String charset =
        System.getProperty("stderr.encoding", System.getProperty("sun.stderr.encoding"));
    System.setErr(
        new PrintStream(
            standing, true, charset == null ? Charset.defaultCharset() : Charset.forName(charset)));
  }

  /** Sends to the log what native code writes from now on, if this process was separated. */
  static synchronized void divert() {
    if (diverted || standing == null) {
      return;
    }
    diverted = true;
    try {
      C library = Native.load("c", C.class);
      int[] ends = new int[2];
      int unused = library.pipe(ends);
      InputStream lines = new FileInputStream("/dev/fd/" + ends[0]);
      unused = library.close(ends[0]);
      standing.target = new Copy(library, library.dup(STANDARD_ERROR));
      unused = library.dup2(ends[1], STANDARD_ERROR);
      unused = library.close(ends[1]);
      var reader = new Thread(() -> read(lines), "engine-errors");
      reader.setDaemon(true);
      reader.start();
    } catch (IOException | LastErrorException | LinkageError e) {
      LOG.info("lines of the engines stay on standard error: {}", e.toString());
    }
  }

  private static void read(InputStream lines) {
    try (var reader = new BufferedReader(new InputStreamReader(lines, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        take(line);
      }
    } catch (IOException e) {
      LOG.warn("lines of the engines cannot be read", e);
    }
  }

  private static synchronized void take(String line) {
    String text = PLACE.matcher(COLOUR.matcher(line).replaceAll("")).replaceFirst("").strip();
    if (text.isEmpty()) {
      return;
    }
    String key = NUMBER.matcher(text).replaceAll("#");
    Sentence sentence = SENTENCES.get(key);
    if (sentence == null) {
      boolean full = SENTENCES.size() >= SENTENCES_MAX;
      sentence =
          full
              ? SENTENCES.computeIfAbsent("", other -> new Sentence("other sentences"))
              : new Sentence(text);
      SENTENCES.put(full ? "" : key, sentence);
      if (!full) {
        LOG.warn("an engine says: {}", text);
      }
    }
    sentence.count++;
  }

  /** Logs how often each sentence came that came more than once, and begins to count anew. */
  public static synchronized void logCounts() {
    SENTENCES
        .values()
        .forEach(
            sentence -> {
              if (sentence.count > 1) {
                LOG.warn("an engine said {} times: {}", sentence.count, sentence.text);
              }
            });
    SENTENCES.clear();
  }
}
