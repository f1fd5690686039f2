package dev.sluice.harness.replay;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.requests.RecordedLoad;
import dev.sluice.producer.trace.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Records the requests, or the whole log, of a run's folder or of another recording. */
final class RunRecorder {
  private final Recorder.Options options;
  private final Console console;
  private final StopCheck stopCheck;

  /** Throws if a person wants the recording to end. */
  interface StopCheck {
    void check() throws IOException;
  }

  RunRecorder(Recorder.Options options, Console console, StopCheck stopCheck) {
    this.options = options;
    this.console = console;
    this.stopCheck = stopCheck;
  }

  void record(Path run) throws UserMistakeException, IOException {
    Path log = RecordedLoad.file(run);
    if (Files.exists(options.file()) && Files.isSameFile(log, options.file())) {
      throw new UserMistakeException(
          options.file().toString(),
          "this is the recording that is read",
          "you want another name for the new one");
    }
    options.checkFile();
    if (options.whole()) {
      copy(log);
    } else {
      recordRequests(log);
    }
    options.tellFile(console);
  }

  private void copy(Path log) throws UserMistakeException, IOException {
    try (RecordingReader<RecordedEntry> reader = RecordingReader.ofLog(log, options.salvage());
        RecordingWriter<RecordedEntry> writer = options.log(reader.header())) {
      for (RecordedEntry e = reader.next(); e != null; e = reader.next()) {
        stopCheck.check();
        writer.write(e);
      }
      writer.finish();
      console.item(
          "recorded", String.format(Locale.ROOT, "%,d records of %s", writer.records(), log));
      tellMissing(reader.loss());
    }
  }

  private void recordRequests(Path log) throws UserMistakeException, IOException {
    RecordedLoad load = RecordedLoad.read(log, options.salvage(), Registries.vocabulary());
    Trace requests = load.requests();
    String digest = load.isWhole() ? RecordingReader.headerOf(log).requestDigest() : null;
    var header = RecordingHeader.requests(digest);
    try (RecordingWriter<RecordedRequest> writer = options.requests(header)) {
      for (int i = 0; i < requests.size(); i++) {
        stopCheck.check();
        writer.write(
            new RecordedRequest(
                requests.atNsByIndex()[i], requests.kinds().get(requests.kindByIndex()[i])));
      }
      writer.finish();
    }
    console.item(
        "recorded", String.format(Locale.ROOT, "%,d requests of %s", requests.size(), log));
    if (digest != null) {
      console.item("", "the whole request list, digest " + digest.substring(0, 12));
    }
    requests.notes().forEach(this::tellMissing);
  }

  private void tellMissing(@Nullable String what) {
    if (what != null) {
      console.item("missing", what);
    }
  }
}
