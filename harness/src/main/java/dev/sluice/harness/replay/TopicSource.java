package dev.sluice.harness.replay;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogMerge.Offsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Topics on a Kafka, and the offsets that bounds mean in them. For use by one thread. */
final class TopicSource {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Consumer<byte[], byte[]> consumer;
  private final @Nullable Bound from;
  private final @Nullable Bound to;
  private final Recorder.Gaps missing;
  private final Map<String, List<PartitionInfo>> all;

  TopicSource(
      Consumer<byte[], byte[]> consumer,
      @Nullable Bound from,
      @Nullable Bound to,
      Recorder.Gaps missing) {
    this.consumer = consumer;
    this.from = from;
    this.to = to;
    this.missing = missing;
    this.all = consumer.listTopics(LIMIT);
  }

  boolean exists(String topic) {
    return all.containsKey(topic);
  }

  /** Refuses a topic that does not exist. */
  UserMistakeException missing(String topic) {
    Set<String> names = new TreeSet<>();
    for (String name : all.keySet()) {
      names.add(name.endsWith(".facts") ? name.substring(0, name.length() - 6) : name);
    }
    names.addAll(all.keySet());
    Optional<String> nearest = NearestName.of(topic, names);
    return new UserMistakeException(
        "--topic",
        "there is no topic (" + topic + ") on this Kafka, and no (" + topic + ".facts)",
        nearest
            .map(name -> "you meant " + name)
            .orElse("it has been removed, or is on another Kafka: --bootstrap HOST:PORT"));
  }

  List<TopicPartition> partitions(Collection<String> topics) {
    return topics.stream()
        .flatMap(topic -> all.getOrDefault(topic, List.of()).stream())
        .map(info -> new TopicPartition(info.topic(), info.partition()))
        .sorted(
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition))
        .toList();
  }

  /** Refuses bounds that are offsets, which mean nothing in several topics. */
  void refuseOffsets() throws UserMistakeException {
    refuseOffset("--from", from);
    refuseOffset("--to", to);
  }

  private static void refuseOffset(String option, @Nullable Bound bound)
      throws UserMistakeException {
    if (bound != null && bound.kind() == Bound.Kind.OFFSET) {
      throw new UserMistakeException(
          option,
          "the offset (" + bound.text() + ") counts in one topic, and --whole reads several",
          "you want an instant, or a time into the topics such as 10m");
    }
  }

  /**
   * Offsets that are read, and where time begins.
   *
   * @param cut true if earlier records are left out on purpose
   * @param fromEpochMs null: where the first record stands
   */
  record Bounds(Map<TopicPartition, Offsets> offsets, boolean cut, @Nullable Long fromEpochMs) {}

  /**
   * Finds the offsets between the two bounds, by the records' own timestamps.
   *
   * @throws UserMistakeException if nothing stands between them
   */
  Bounds bounds(List<TopicPartition> partitions, String shown) throws UserMistakeException {
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions, LIMIT);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, LIMIT);
    UserMistakeException.throwIf(
        partitions.stream().allMatch(p -> offset(begins, p) >= offset(ends, p)),
        "--topic",
        "the topic (" + shown + ") holds no record",
        "all of them are gone by retention, or none was written yet");
    Long fromMs = from == null ? null : epochMs(from, null, partitions);
    Long toMs = to == null ? null : epochMs(to, fromMs, partitions);
    if (from != null && to != null && isNotAfter(from, fromMs, to, toMs)) {
      throw new UserMistakeException(
          "--to",
          "the value (" + to.text() + ") is not after --from (" + from.text() + ")",
          "you exchanged the two");
    }
    Map<TopicPartition, Long> first = from == null ? Map.of() : at(from, fromMs, partitions, ends);
    Map<TopicPartition, Long> last = to == null ? ends : at(to, toMs, partitions, ends);
    Map<TopicPartition, Offsets> offsets = new LinkedHashMap<>();
    for (TopicPartition p : partitions) {
      long begin = offset(begins, p);
      long end = Math.min(offset(ends, p), offset(last, p));
      if (begin > 0 && offset(first, p) <= begin) {
        missing.gone(p.topic(), p.partition(), begin);
      }
      long start = Math.min(end, Math.max(begin, offset(first, p)));
      offsets.put(p, new Offsets(start, end));
    }
    UserMistakeException.throwIf(
        offsets.values().stream().allMatch(of -> of.from() == of.to()),
        from == null ? "--to" : "--from",
        "the topic (" + shown + ") holds no record between these bounds",
        "the times are in another zone, or another topic is meant");
    return new Bounds(offsets, from != null, fromMs);
  }

  private static long offset(Map<TopicPartition, Long> offsets, TopicPartition partition) {
    return offsets.getOrDefault(partition, 0L);
  }

  /** Compares bounds of one kind; of two kinds none is before the other. */
  private static boolean isNotAfter(
      Bound from, @Nullable Long fromMs, Bound to, @Nullable Long toMs) {
    if (fromMs != null && toMs != null) {
      return toMs <= fromMs;
    }
    return from.kind() == Bound.Kind.OFFSET
        && to.kind() == Bound.Kind.OFFSET
        && to.value() <= from.value();
  }

  /** The bound as an instant; null if it is an offset. */
  private @Nullable Long epochMs(
      Bound moment, @Nullable Long fromMs, List<TopicPartition> partitions) {
    return switch (moment.kind()) {
      case INSTANT -> moment.value();
      case OFFSET -> null;
      case TIME_INTO_TOPIC -> (fromMs != null ? fromMs : beginMs(partitions)) + moment.value();
    };
  }

  private long beginMs(List<TopicPartition> partitions) {
    return offsetsFor(partitions, 0).values().stream()
        .filter(Objects::nonNull)
        .mapToLong(OffsetAndTimestamp::timestamp)
        .min()
        .orElse(0);
  }

  private Map<TopicPartition, @Nullable OffsetAndTimestamp> offsetsFor(
      List<TopicPartition> partitions, long epochMs) {
    Map<TopicPartition, Long> wanted =
        partitions.stream()
            .collect(Collectors.toMap(Function.identity(), p -> Math.max(0, epochMs)));
    return consumer.offsetsForTimes(wanted, LIMIT);
  }

  private Map<TopicPartition, Long> at(
      Bound moment,
      @Nullable Long epochMs,
      List<TopicPartition> partitions,
      Map<TopicPartition, Long> ends) {
    Map<TopicPartition, @Nullable OffsetAndTimestamp> found =
        epochMs == null ? Map.of() : offsetsFor(partitions, epochMs);
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (TopicPartition p : partitions) {
      OffsetAndTimestamp at = found.get(p);
      long none = epochMs == null ? moment.value() : offset(ends, p);
      offsets.put(p, at == null ? none : at.offset());
    }
    return offsets;
  }

  /**
   * A bound of what is read from topics, as {@code --from} and {@code --to} name it.
   *
   * @param kind what the value is
   * @param value milliseconds since 1970, milliseconds into the topic, or an offset
   * @param text the bound as it was typed
   */
  record Bound(Kind kind, long value, String text) {
    private static final Pattern PART = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(ms|s|m|h|d)");
    private static final Pattern TIME = Pattern.compile("(?:" + PART.pattern() + ")+");
    private static final Pattern OFFSET = Pattern.compile("offset:(\\d{1,18})");

    enum Kind {
      INSTANT,
      TIME_INTO_TOPIC,
      OFFSET
    }

    /**
     * Reads a bound.
     *
     * @param option option that holds it, for messages
     * @param text null: the option was not given
     */
    static @Nullable Bound parse(String option, @Nullable String text) throws UserMistakeException {
      if (text == null) {
        return null;
      }
      Matcher offset = OFFSET.matcher(text);
      if (offset.matches()) {
        return new Bound(Kind.OFFSET, Long.parseLong(offset.group(1)), text);
      }
      if (TIME.matcher(text).matches()) {
        return new Bound(Kind.TIME_INTO_TOPIC, millis(text), text);
      }
      try {
        return new Bound(Kind.INSTANT, OffsetDateTime.parse(text).toInstant().toEpochMilli(), text);
      } catch (DateTimeParseException | ArithmeticException e) {
        throw new UserMistakeException(
            option,
            "the value (" + text + ") is no instant, no time into the topic, and no offset",
            isLocal(text)
                ? "it lacks its zone: " + text + "Z is in UTC, " + text + "+01:00 an hour before"
                : "you meant one like 2026-11-20T09:00Z, 10m, 1h30m or offset:1200");
      }
    }

    private static boolean isLocal(String text) {
      try {
        return LocalDateTime.parse(text).atOffset(ZoneOffset.UTC).getYear() > 0;
      } catch (DateTimeParseException e) {
        return false;
      }
    }

    private static long millis(String text) {
      double millis = 0;
      Matcher part = PART.matcher(text);
      while (part.find()) {
        Duration unit =
            switch (part.group(2)) {
              case "ms" -> Duration.ofMillis(1);
              case "s" -> Duration.ofSeconds(1);
              case "m" -> Duration.ofMinutes(1);
              case "h" -> Duration.ofHours(1);
              default -> Duration.ofDays(1);
            };
        millis += Double.parseDouble(part.group(1)) * unit.toMillis();
      }
      return Math.round(millis);
    }
  }
}
