package dev.sluice.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends all logging to a run's log: Sluice's own from INFO on, the libraries' warnings. */
final class LogFile implements AutoCloseable {
  private final FileAppender<ILoggingEvent> appender;

  private LogFile(FileAppender<ILoggingEvent> appender) {
    this.appender = appender;
  }

  /** Begins to write to that file. */
  static LogFile open(Path file) {
    var context = (LoggerContext) LoggerFactory.getILoggerFactory();
    var encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%date{ISO8601} %-5level %thread %logger{30} %message%n");
    encoder.start();
    var appender = new FileAppender<ILoggingEvent>();
    appender.setContext(context);
    appender.setName("run.log");
    appender.setFile(file.toString());
    appender.setEncoder(encoder);
    appender.start();
    root(context).addAppender(appender);
    context.getLogger("dev.sluice").setLevel(Level.INFO);
    return new LogFile(appender);
  }

  @Override
  public void close() {
    root((LoggerContext) LoggerFactory.getILoggerFactory()).detachAppender(appender);
    appender.stop();
  }

  private static ch.qos.logback.classic.Logger root(LoggerContext context) {
    return context.getLogger(Logger.ROOT_LOGGER_NAME);
  }
}
