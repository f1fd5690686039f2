package dev.sluice.harness.process;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.sun.jna.Library;
import com.sun.jna.Native;
import dev.sluice.executor.model.EngineErrors;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Lines that native code writes to standard error, in a process of their own. */
final class EngineErrorsTest {
  private static final String NNPACK =
      "[W1126 16:20:11.%06d NNPACK.cpp:62] Could not initialize NNPACK! Reason: none.\n";
  private static final String ONNX =
      "\u001b[0;93m2026-11-26 16:20:11.1 [W:onnxruntime:, graph.cc:1 F] Node %d is gone\u001b[m\n";

  @TempDir private Path folder;

  /** The C library. */
  private interface C extends Library {
    int write(int descriptor, byte[] bytes, long count);
  }

  /** A process that writes to standard error through Java and through the system. */
  static final class Writer {
    private static final C LIBRARY = Native.load("c", C.class);
    private static final CountDownLatch LAST = new CountDownLatch(1);

    private Writer() {}

    /**
     * Writes.
     *
     * @param arguments path of the log, and a folder for the engines' libraries
     */
    public static void main(String[] arguments) throws Exception {
      var context = (LoggerContext) LoggerFactory.getILoggerFactory();
      var appender =
          new AppenderBase<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
              if (event.getFormattedMessage().endsWith("the last")) {
                LAST.countDown();
              }
            }
          };
      appender.setContext(context);
      appender.start();
      context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
      EngineErrors.separate();
      System.err.println("Java, before");
      try (var log = LogFile.open(Path.of(arguments[0]), Secrets.NONE)) {
        for (int i = 0; i < 2; i++) {
          Engines unused = Engines.prepare(1, new ModelCache(Path.of(arguments[1])));
        }
        for (int i = 0; i < 2_000; i++) {
          write(NNPACK.formatted(i));
        }
        write(ONNX.formatted(7));
        write(ONNX.formatted(8));
        System.err.println("Java, after");
        write("the last\n");
        if (!LAST.await(60, TimeUnit.SECONDS)) {
          throw new IllegalStateException("the last line did not come");
        }
      }
    }

    private static void write(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      if (LIBRARY.write(2, bytes, bytes.length) != bytes.length) {
        throw new IllegalStateException("not written whole");
      }
    }
  }

  @Test
  void goToTheLog_eachSentenceOnceWithItsCount_andJavasStayWhereTheyWere() throws Exception {
    Path log = folder.resolve("run.log");
    Process process =
        Launch.of(
                ChildJvm.of(
                    ChildJvm.ownOptions(),
                    Writer.class.getName(),
                    List.of(log.toString(), folder.resolve("cache").toString())))
            .start();
    String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(errors).isZero();
    assertThat(errors.lines()).containsExactly("Java, before", "Java, after");
    assertThat(
            Files.readAllLines(log).stream()
                .map(line -> line.replaceFirst(".* an engine sa", "an engine sa")))
        .containsExactly(
            "an engine says: Could not initialize NNPACK! Reason: none.",
            "an engine says: Node 7 is gone",
            "an engine says: the last",
            "an engine said 2000 times: Could not initialize NNPACK! Reason: none.",
            "an engine said 2 times: Node 7 is gone");
  }
}
