package dev.sluice.layers.runtime;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Options of a model's run by layers.
 *
 * @param model name of a built-in network
 * @param budgetBytes bytes that resident layers may take; null: as many as the model has
 * @param bandwidth bytes a second at which reading is paced; null: as fast as the machine reads
 * @param steps number of steps, at least 1
 * @param samples samples of each step, at least 1
 * @param checkFinite true if each layer's parameters are searched for NaN and infinity
 * @param trace folder of the trace; null: none
 */
public record LayersOptions(
    String model,
    @Nullable Long budgetBytes,
    AskedSchedule schedule,
    int steps,
    int samples,
    @Nullable Long bandwidth,
    boolean checkFinite,
    @Nullable Path trace) {
  /**
   * Options of a training beside those of every run.
   *
   * @param optimizer sgd or adam
   * @param seed seed of parameters and data
   * @param out folder of the steps that are durable
   * @param resume true if the folder's last step is gone on from
   * @param commitEvery number of steps after which they are made durable, at least 1
   */
  public record Training(String optimizer, long seed, Path out, boolean resume, int commitEvery) {}

  /**
   * The schedule that a user asked for.
   *
   * @param kind eager, on_demand, prefetch, auto, or file
   * @param ahead of prefetch: number of layers that are read ahead, at least 1
   * @param file of file: the schedule's file
   */
  public record AskedSchedule(String kind, int ahead, @Nullable Path file) {
    public static final String EAGER = "eager";
    public static final String ON_DEMAND = "on_demand";
    public static final String PREFETCH = "prefetch";
    public static final String AUTO = "auto";
    private static final String FILE = "file";
    private static final List<String> NAMES = List.of(AUTO, EAGER, ON_DEMAND, PREFETCH);
    private static final Pattern AHEAD = Pattern.compile(PREFETCH + "(?:[ :=]([0-9]{1,4}))?");

    /**
     * Reads {@code auto}, {@code eager}, {@code on_demand}, {@code prefetch N} (or {@code
     * prefetch:N}; without N: 1), or the name of a file.
     */
    public static AskedSchedule parse(String text) throws UserMistakeException {
      Matcher ahead = AHEAD.matcher(text);
      if (ahead.matches()) {
        int layers = ahead.group(1) == null ? 1 : Integer.parseInt(ahead.group(1));
        if (layers < 1) {
          throw new UserMistakeException(
              "--schedule", "(" + text + ") reads no layer ahead", "you meant on_demand");
        }
        return new AskedSchedule(PREFETCH, layers, null);
      }
      if (NAMES.contains(text)) {
        return new AskedSchedule(text, 0, null);
      }
      Path file = Path.of(text);
      if (Files.exists(file) || text.contains("/") || text.endsWith(".yaml")) {
        return new AskedSchedule(FILE, 0, file);
      }
      throw new UserMistakeException(
          "--schedule",
          "the schedule (" + text + ") is unknown, and no file has that name",
          NearestName.advice(text, NAMES, "schedules"));
    }

    public boolean isAuto() {
      return kind.equals(AUTO);
    }

    /** The schedule in a few words, for a title. */
    public String text() {
      return kind.equals(PREFETCH)
          ? PREFETCH + " " + ahead
          : file != null ? String.valueOf(file.getFileName()) : kind;
    }
  }
}
