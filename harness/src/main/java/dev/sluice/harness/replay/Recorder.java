package dev.sluice.harness.replay;

import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogMerge;
import dev.sluice.contract.log.LogMerge.Offsets;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.Signals;
import dev.sluice.producer.requests.RecordedLoad;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Records requests, or a whole log, from topics or from a run's folder. */
public final class Recorder {
  private static final Duration SILENCE_LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(100);

  private final Options options;
  private final Console console;
  private final Gaps missing = new Gaps();
  private volatile boolean stopped;

  /**
   * Options of a recording.
   *
   * @param run folder of a run, or a recording; null: topics are read
   * @param file {@code -}: standard output
   * @param whole true if everything is recorded, and not the requests alone
   * @param salvage true if the whole lines of a recording that was cut short are taken
   * @param force true if a recording that is there is replaced
   */
  public record Options(
      @Nullable Path run,
      @Nullable TopicOptions topics,
      Path file,
      boolean whole,
      boolean salvage,
      boolean force) {
    public boolean isStandardOutput() {
      return file.toString().equals("-");
    }

    /** Refuses to replace a file that is no recording, or a recording without {@code force}. */
    void checkFile() throws UserMistakeException {
      if (!isStandardOutput()) {
        OutputFile.check(file, RecordingReader.KIND, force);
      }
    }

    RecordingWriter<RecordedRequest> requests(RecordingHeader header) throws IOException {
      return isStandardOutput()
          ? RecordingWriter.ofRequests(standardOutput(), header)
          : RecordingWriter.ofRequests(file, header);
    }

    RecordingWriter<RecordedEntry> log(RecordingHeader header) throws IOException {
      return isStandardOutput()
          ? RecordingWriter.ofLog(standardOutput(), header)
          : RecordingWriter.ofLog(file, header);
    }

    private static OutputStream standardOutput() {
      return new FileOutputStream(FileDescriptor.out);
    }

    /** Tells a person the file with its size, unless it is standard output. */
    void tellFile(Console console) throws IOException {
      if (!isStandardOutput()) {
        console.item(
            "file",
            Files.isRegularFile(file)
                ? String.format(Locale.ROOT, "%s, %.2f MB", file, Files.size(file) / 1e6)
                : file.toString());
      }
    }
  }

  /**
   * Topics to read, as the command line names them.
   *
   * @param prefix prefix of a run's topics, or one topic
   * @param bootstrap {@code HOST:PORT} of their Kafka
   * @param kafkaConfig file of client properties; null: none
   * @param from null: from the beginning
   * @param to null: up to the present end
   * @param fields fields of a topic that is not Sluice's; null: none
   */
  public record TopicOptions(
      String prefix,
      String bootstrap,
      @Nullable Path kafkaConfig,
      @Nullable String from,
      @Nullable String to,
      @Nullable String fields) {}

  private static final class StoppedByPersonException extends IOException {
    private static final long serialVersionUID = 1;
  }

  /** Prepares a recording; the console must not be on standard output where the file is. */
  public Recorder(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  public int execute() throws UserMistakeException, InterruptedException {
    try (var signals = Signals.listen(() -> stopped = true, () -> {})) {
      try {
        TopicOptions topics = options.topics();
        if (topics != null) {
          record(topics);
        } else if (options.run() != null) {
          record(options.run());
        }
        return ExitStatus.DONE;
      } catch (StoppedByPersonException e) {
        console.line("Stopped: nothing was recorded.");
        return signals.exitStatus();
      } catch (IOException e) {
        throw new UserMistakeException(
            options.isStandardOutput() ? "standard output" : options.file().toString(),
            "the file cannot be written (" + UserMistakeException.reason(e) + ")",
            "the disk is full, or its folder does not exist; nothing was left there",
            e);
      }
    }
  }

  private void heedAWishToStop() throws IOException {
    if (stopped) {
      throw new StoppedByPersonException();
    }
  }

  // --- a run's folder, or another recording

  private void record(Path run) throws UserMistakeException, IOException {
    Path log = RecordedLoad.file(run);
    UserMistakeException.throwIf(
        Files.exists(options.file()) && Files.isSameFile(log, options.file()),
        options.file().toString(),
        "this is the recording that is read",
        "you want another name for the new one");
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
        heedAWishToStop();
        writer.write(e);
      }
      writer.finish();
      console.item(
          "recorded", String.format(Locale.ROOT, "%,d records of %s", writer.records(), log));
      if (reader.loss() != null) {
        console.item("missing", reader.loss());
      }
    }
  }

  private void recordRequests(Path log) throws UserMistakeException, IOException {
    RecordedLoad load = RecordedLoad.read(log, options.salvage(), Registries.vocabulary());
    String digest = load.isWhole() ? RecordingReader.headerOf(log).requestDigest() : null;
    var header = RecordingHeader.requests(digest);
    try (RecordingWriter<RecordedRequest> writer = options.requests(header)) {
      for (RecordedRequest request : load.requests()) {
        heedAWishToStop();
        writer.write(request);
      }
      writer.finish();
    }
    console.item(
        "recorded", String.format(Locale.ROOT, "%,d requests of %s", load.requests().size(), log));
    if (digest != null) {
      console.item("", "the whole request list, digest " + digest.substring(0, 12));
    }
    load.notes().forEach(note -> console.item("missing", note));
  }

  // --- topics

  private void record(TopicOptions of)
      throws UserMistakeException, IOException, InterruptedException {
    options.checkFile();
    Fields fields = Fields.parse(of.fields());
    TopicSource.Bound from = TopicSource.Bound.parse("--from", of.from());
    TopicSource.Bound to = TopicSource.Bound.parse("--to", of.to());
    KafkaAccess kafka = KafkaAccess.reached(of.bootstrap(), of.kafkaConfig(), () -> stopped);
    heedAWishToStop();
    try (var quiet = LogFile.hushed("org.apache.kafka.clients");
        Consumer<byte[], byte[]> consumer =
            kafka.clients().consumer(Reading.WHOLE_RUN, SILENCE_LIMIT)) {
      var source = new TopicSource(consumer, from, to, missing);
      var topics = new Topics(of.prefix());
      boolean own = source.exists(topics.facts());
      if (!own && !source.exists(of.prefix())) {
        throw source.missing(of.prefix());
      }
      UserMistakeException.throwIf(
          own && !fields.isEmpty(),
          "--fields",
          "the topic (" + topics.facts() + ") holds Sluice's own events",
          "you want to leave the option out, or to name the topic itself");
      if (!options.whole()) {
        String topic = own ? topics.facts() : of.prefix();
        recordRequests(source, consumer, topic, new TopicRequests(own ? null : fields, missing));
      } else if (own) {
        source.refuseOffsets();
        recordWhole(
            source, topics, new LogMerge(topics, consumer, MachineClock.process(), SILENCE_LIMIT));
      } else {
        throw new UserMistakeException(
            "--whole",
            "the topic (" + of.prefix() + ") is not Sluice's, and only its requests can be taken",
            "you want to leave --whole out");
      }
    } catch (OffsetOutOfRangeException e) {
      throw new UserMistakeException(
          "--topic",
          "records went by retention while they were read (" + e.getMessage() + ")",
          "a later --from leaves them out",
          e);
    } catch (KafkaException e) {
      throw new UserMistakeException(
          "--topic",
          "the topics cannot be read (" + kafka.line(e) + ")",
          "these clients lack the right to, or the Kafka is gone",
          e);
    }
  }

  // --- the requests of a topic

  private void recordRequests(
      TopicSource source, Consumer<byte[], byte[]> consumer, String topic, TopicRequests requests)
      throws UserMistakeException, IOException {
    TopicSource.Bounds bounds = source.bounds(source.partitions(List.of(topic)), topic);
    read(consumer, bounds.offsets(), requests);
    if (requests.size() == 0) {
      tellMissing();
      throw new UserMistakeException(
          "--topic",
          "the topic (" + topic + ") holds no request between these bounds",
          requests.areFacts()
              ? "the run has not begun, or the bounds are others"
              : "its values are no JSON objects, or another topic is meant");
    }
    long zeroNs = requests.zeroNs(bounds.cut(), bounds.fromEpochMs());
    var header = RecordingHeader.requests(null);
    try (RecordingWriter<RecordedRequest> writer = options.requests(header)) {
      requests.write(writer, zeroNs);
      heedAWishToStop();
      writer.finish();
    }
    console.item(
        "recorded",
        String.format(
            Locale.ROOT,
            "%,d requests of %s, %.1f s to %.1f s",
            requests.size(),
            topic,
            (requests.firstNs() - zeroNs) / 1e9,
            (requests.lastNs() - zeroNs) / 1e9));
    if (requests.areFacts()) {
      console.item("", "the requests that were sent: a run's folder alone tells of the whole list");
    }
    tellMissing();
    options.tellFile(console);
  }

  private void read(
      Consumer<byte[], byte[]> consumer, Map<TopicPartition, Offsets> offsets, TopicRequests to)
      throws UserMistakeException, IOException {
    consumer.assign(offsets.keySet());
    offsets.forEach((partition, of) -> consumer.seek(partition, of.from()));
    long lastNs = MachineClock.monotonicNs();
    while (offsets.entrySet().stream()
        .anyMatch(of -> consumer.position(of.getKey()) < of.getValue().to())) {
      heedAWishToStop();
      var records = consumer.poll(POLL);
      for (ConsumerRecord<byte[], byte[]> record : records) {
        Offsets of = offsets.get(new TopicPartition(record.topic(), record.partition()));
        if (of != null && record.offset() < of.to()) {
          to.take(record);
        }
      }
      lastNs = records.isEmpty() ? lastNs : MachineClock.monotonicNs();
      if (MachineClock.monotonicNs() - lastNs > SILENCE_LIMIT.toNanos()) {
        throw new KafkaException("no record for " + SILENCE_LIMIT.toSeconds() + " s");
      }
    }
  }

  // --- a whole log

  private void recordWhole(TopicSource source, Topics topics, LogMerge merge)
      throws UserMistakeException, IOException {
    List<String> names =
        LogOrder.TOPICS.stream().map(name -> topics.prefix() + "." + name).toList();
    List<TopicPartition> partitions = source.partitions(names);
    Map<TopicPartition, Offsets> offsets = source.bounds(partitions, topics.prefix()).offsets();
    long shards = partitions.stream().filter(p -> p.topic().equals(topics.facts())).count();
    RunStarted started = source.exists(topics.runs()) ? started(merge) : null;
    var header =
        RecordingHeader.log(
            topics.prefix(),
            started,
            (int) shards,
            "",
            started == null ? null : started.configDigest(),
            null);
    try (RecordingWriter<RecordedEntry> writer = options.log(header)) {
      merge.read(
          offsets,
          record -> {
            heedAWishToStop();
            writer.write(merge.entry(record));
          });
      writer.finish();
      console.item(
          "recorded",
          String.format(
              Locale.ROOT, "%,d records of the topics of %s", writer.records(), topics.prefix()));
    }
    console.item(
        "", "topics tell neither their experiment nor the version of the core that decided");
    tellMissing();
    options.tellFile(console);
  }

  private @Nullable RunStarted started(LogMerge merge) throws IOException {
    var found = new RunStarted[1];
    merge.read(
        merge.whole(List.of("runs")),
        record -> {
          heedAWishToStop();
          if (found[0] == null
              && EventCodec.RUNS.find(record.value()).orElse(null) instanceof RunStarted started) {
            found[0] = started;
          }
        });
    return found[0];
  }

  private void tellMissing() {
    missing.lines().forEach(line -> console.item("missing", line));
  }

  /** What a recording lacks of its topics, named for a person. */
  static final class Gaps {
    private static final int SHOWN_MAX = 5;
    private static final int SHOWN_BYTES = 80;

    private final List<String> gone = new ArrayList<>();
    private final List<String> unreadable = new ArrayList<>();
    private long unreadableCount;

    /** Number of records that lack a field, and the first of them, by the field's name. */
    private final Map<String, Lacking> lacking = new LinkedHashMap<>();

    private record Lacking(String first, long count) {}

    void gone(String topic, int partition, long firstOffset) {
      gone.add(
          "%s/%s: offsets 0 to %s are gone by retention, and were not recorded"
              .formatted(topic, partition, firstOffset - 1));
    }

    void unreadable(ConsumerRecord<byte[], byte[]> record) {
      if (unreadableCount++ < SHOWN_MAX) {
        unreadable.add(place(record) + " is unreadable: " + begin(record.value()));
      }
    }

    void lacks(ConsumerRecord<byte[], byte[]> record, String field) {
      lacking.merge(
          field,
          new Lacking(place(record), 1),
          (known, more) -> new Lacking(known.first, known.count + 1));
    }

    private static String place(ConsumerRecord<byte[], byte[]> record) {
      return record.topic() + "/" + record.partition() + " at offset " + record.offset();
    }

    /** The first bytes of a value, as text without control characters. */
    private static String begin(byte[] value) {
      if (value == null) {
        return "(no value)";
      }
      int length = Math.min(value.length, SHOWN_BYTES);
      String text = new String(value, 0, length, StandardCharsets.UTF_8);
      return text.replaceAll("\\p{Cntrl}", "?") + (length < value.length ? "…" : "");
    }

    List<String> lines() {
      List<String> lines = new ArrayList<>(gone);
      lines.addAll(unreadable);
      if (unreadableCount > SHOWN_MAX) {
        lines.add("… and " + (unreadableCount - SHOWN_MAX) + " more unreadable records");
      }
      lacking.forEach(
          (field, of) ->
              lines.add(
                  "%s %s %s, the first is %s"
                      .formatted(
                          of.count,
                          of.count == 1 ? "record lacks" : "records lack",
                          field,
                          of.first)));
      return lines;
    }
  }
}
