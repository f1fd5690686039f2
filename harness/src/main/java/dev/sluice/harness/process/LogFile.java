package dev.sluice.harness.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import dev.sluice.contract.file.Written;
import dev.sluice.executor.model.EngineErrors;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Target of logging: Sluice's own lines from INFO on, libraries' warnings, and no secret of either.
 */
public final class LogFile implements AutoCloseable {
  private static final List<String> DEVICE_SEEKERS =
      List.of("ai.djl.util.cuda.CudaUtils", "ai.djl.onnxruntime.engine.OrtEngine");

  private final OutputStreamAppender<ILoggingEvent> appender;

  private LogFile(OutputStreamAppender<ILoggingEvent> appender) {
    this.appender = appender;
  }

  public static LogFile open(Path file, Secrets secrets) {
    var appender = new FileAppender<ILoggingEvent>();
    appender.setFile(file.toString());
    return start(appender, "run.log", secrets);
  }

  /** Begins to write to standard error, for a role that has no folder. */
  public static LogFile toStandardError(Secrets secrets) {
    var appender = new ConsoleAppender<ILoggingEvent>();
    appender.setTarget("System.err");
    return start(appender, "standard error", secrets);
  }

  private static LogFile start(
      OutputStreamAppender<ILoggingEvent> appender, String name, Secrets secrets) {
    var context = (LoggerContext) LoggerFactory.getILoggerFactory();
    var encoder = new HidingEncoder(secrets);
    encoder.setContext(context);
    encoder.setPattern("%date{ISO8601} %-5level %thread %logger{30} %message%n");
    encoder.start();
    appender.setContext(context);
    appender.setName(name);
    appender.setEncoder(encoder);
    appender.start();
    root(context).addAppender(appender);
    context.getLogger("dev.sluice").setLevel(Level.INFO);
    // A run says itself what it computes on; DJL warns of each accelerator that it does not find.
    DEVICE_SEEKERS.forEach(seeker -> context.getLogger(seeker).setLevel(Level.ERROR));
    return new LogFile(appender);
  }

  /** Suppresses the warnings of a logger until closed, where another line says them better. */
  public static Hushed hushed(String logger) {
    var hushed = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(logger);
    Level before = hushed.getLevel();
    hushed.setLevel(Level.ERROR);
    return () -> hushed.setLevel(before);
  }

  @FunctionalInterface
  public interface Hushed extends AutoCloseable {
    @Override
    void close();
  }

  @Override
  public void close() {
    EngineErrors.logCounts();
    root((LoggerContext) LoggerFactory.getILoggerFactory()).detachAppender(appender);
    appender.stop();
  }

  private static ch.qos.logback.classic.Logger root(LoggerContext context) {
    return context.getLogger(Logger.ROOT_LOGGER_NAME);
  }

  /** Encodes the usual lines, including stack traces, without secrets and control characters. */
  private static final class HidingEncoder extends PatternLayoutEncoder {
    private final Secrets secrets;

    HidingEncoder(Secrets secrets) {
      this.secrets = secrets;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      return Written.lines(secrets.hide(layout.doLayout(event))).getBytes(StandardCharsets.UTF_8);
    }
  }
}
