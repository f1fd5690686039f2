package dev.sluice.contract.experiment;

import dev.sluice.contract.file.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of requests that a run sends again, and how.
 *
 * @param file path of the file, relative to the experiment file
 * @param salvage whether the whole lines of a recording that was cut short are taken
 * @param columns columns of a trace in place of its format's own, by {@linkplain #ATTRIBUTES
 *     attribute}
 * @param spread whether requests of equal times are parted; for traces
 */
public record Replay(
    Source source,
    String file,
    boolean salvage,
    Scale scale,
    Names names,
    Map<String, Column> columns,
    boolean spread)
    implements Arrivals {
  /** Attributes of a job that a trace may hold. */
  public static final List<String> ATTRIBUTES =
      List.of("class", "workload", "backend", "precision", "samples", "slo_ms");

  /** Attributes of a job that are names. */
  public static final List<String> NAMED = ATTRIBUTES.subList(0, 4);

  /** What a file of requests is; the file writes its name in lower case. */
  public enum Source {
    /** A recording by Sluice: a run's log, or requests alone. */
    REPLAY,

    /** A trace, in one of the known formats. */
    TRACE;

    String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** The source that a process replays; empty if it replays no file. */
    static Optional<Source> of(String process) {
      return Stream.of(values()).filter(source -> source.key().equals(process)).findFirst();
    }
  }

  public Replay {
    columns = Map.copyOf(columns);
  }

  /**
   * The part of the file that is played, and how fast.
   *
   * @param speed factor by which times are divided, above 0
   * @param ratePerSecond mean rate that the part is brought to by a speed of its own, requests a
   *     second, above 0; null: {@code speed} counts
   * @param fromSeconds beginning of the part, recorded time; what stands before it is played as
   *     warm-up
   * @param toSeconds end of the part, recorded time; null: the file's end
   */
  public record Scale(
      double speed,
      @Nullable Double ratePerSecond,
      double fromSeconds,
      @Nullable Double toSeconds) {}

  /**
   * What becomes of recorded names and promises.
   *
   * @param ownPromises whether promises are those of this experiment's classes in place of the
   *     recorded ones
   */
  public record Names(List<Mapped> map, List<Dropped> drop, boolean ownPromises) {
    public Names {
      map = List.copyOf(map);
      drop = List.copyOf(drop);
    }
  }

  /**
   * A recorded name and its name here, written {@code workload:mobile=vit_tiny}.
   *
   * @param attribute one of {@link #NAMED}
   */
  public record Mapped(String attribute, String from, String to) {
    @Override
    public String toString() {
      return attribute + ":" + from + "=" + to;
    }
  }

  /**
   * A recorded name that is left out, written {@code class:test}.
   *
   * @param attribute one of {@link #NAMED}
   */
  public record Dropped(String attribute, String name) {
    @Override
    public String toString() {
      return attribute + ":" + name;
    }
  }

  /**
   * A column of a trace.
   *
   * @param stripe whether its values are dealt to this experiment's names, one after the other
   */
  public record Column(String from, boolean stripe) {}

  @Override
  public String words() {
    var words = new ArrayList<String>();
    words.add((source == Source.REPLAY ? "replay of " : "trace ") + file);
    if (scale.ratePerSecond() != null) {
      words.add("at " + Numbers.text(scale.ratePerSecond()) + " requests/s");
    } else if (scale.speed() != 1) {
      words.add("speed " + Numbers.text(scale.speed()));
    }
    if (scale.fromSeconds() > 0) {
      words.add("from " + Numbers.text(scale.fromSeconds()) + " s");
    }
    if (scale.toSeconds() != null) {
      words.add("to " + Numbers.text(scale.toSeconds()) + " s");
    }
    if (names.ownPromises()) {
      words.add("promises of this experiment");
    }
    new TreeMap<>(columns)
        .forEach(
            (attribute, column) ->
                words.add(
                    attribute
                        + " from column "
                        + column.from()
                        + (column.stripe() ? ", striped" : "")));
    if (spread) {
      words.add("ties parted");
    }
    names.map().forEach(m -> words.add(m.attribute() + " " + m.from() + " as " + m.to()));
    names.drop().forEach(d -> words.add(d.attribute() + " " + d.name() + " dropped"));
    if (salvage) {
      words.add("what was whole of it");
    }
    return String.join(", ", words);
  }
}
