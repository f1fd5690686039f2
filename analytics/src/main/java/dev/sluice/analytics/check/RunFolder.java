package dev.sluice.analytics.check;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Utf8;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Files of a finished run's folder.
 *
 * @param jobById first row of each id
 * @param batchByKey first row of each shard and dispatch id
 * @param heldByRow jobs that each batch holds, by the batch's row
 */
public record RunFolder(
    Path path,
    RunConfig config,
    JsonNode summary,
    List<Job> jobs,
    List<Batch> batches,
    Map<String, Job> jobById,
    Map<String, Batch> batchByKey,
    List<List<Job>> heldByRow,
    List<Load> loads) {
  public static final String TRACE = "trace.csv";
  public static final String DISPATCHES = "dispatches.csv";
  public static final String LOADS = "loads.csv";
  public static final String SUMMARY = "summary.json";
  public static final String CONFIG = "config.yaml";
  private static final int ALIASES_MAX = 50;

  /** A name that stands twice has two values, and a reader may choose either. */
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final List<String> TRACE_COLUMNS =
      List.of(
          ("run_id,scheduler_name,job_id,class_type,workload_name,backend,precision,batch_size,"
                  + "enqueue_time,start_time,end_time,wait_ms,service_ms,e2e_ms,throughput_sps,"
                  + "slo_ms,slo_violation,lane_id,predicted_service_ms,resource_cost_tokens,phase,"
                  + "status,reason,dispatch_id,dispatch_samples,service_share_ms,attempt,sent_time,"
                  + "appended_time,decided_time,observed_time,shard")
              .split(","));
  private static final List<String> LOAD_COLUMNS =
      List.of(
          ("lane_id,incarnation,workload_name,backend,precision,memory_mb,decided_time,start_time,"
                  + "loaded_time,evicted_time,cause")
              .split(","));
  private static final List<String> DISPATCH_COLUMNS =
      List.of(
          ("dispatch_id,lane_id,job_ids,samples,tokens,attempt,result,decided_time,start_time,"
                  + "end_time,predicted_service_ms,prediction_source,score_terms,cause,"
                  + "workload_name,backend,precision,service_ms,switch_ms,emulated_service_ms,"
                  + "completed_time,shard,predicted_quantile_ms,predicted_p95_ms,"
                  + "predicted_p99_ms,model_version,predicted_busy_lanes,busy_lanes")
              .split(","));

  /**
   * Reads a folder. A cell that is no number is a fault of its row.
   *
   * @throws UserMistakeException if no run has finished in the folder
   */
  public static RunFolder read(Path folder, Findings findings) throws UserMistakeException {
    Path file = folder;
    try {
      file = folder.resolve(SUMMARY);
      JsonNode summary = JSON.readTree(file.toFile());
      file = folder.resolve(CONFIG);
      RunConfig config = config(Files.readString(file));
      Path dispatches = folder.resolve(DISPATCHES);
      Findings ofBatches = new Findings();
      var reading =
          new FutureTask<>(() -> rows(dispatches, DISPATCH_COLUMNS, Batch::new, ofBatches));
      ForkJoinPool.commonPool().execute(reading);
      file = folder.resolve(TRACE);
      List<Job> jobs = rows(file, TRACE_COLUMNS, Job::new, findings);
      file = dispatches;
      List<Batch> batches = read(reading);
      findings.add(ofBatches);
      findings.looked(Rule.FORMAT, (long) jobs.size() + batches.size());
      findings.rows((long) jobs.size() + batches.size());
      Map<String, Job> jobById = jobs.stream().collect(byKey(job -> job.id));
      return new RunFolder(
          folder,
          config,
          summary,
          jobs,
          batches,
          jobById,
          batches.stream().collect(byKey(Batch::key)),
          batches.stream().map(batch -> held(batch, jobById)).toList(),
          loads(folder, config, findings));
    } catch (NoSuchFileException | FileNotFoundException e) {
      throw new UserMistakeException(
          folder.toString(),
          "this is no folder of a finished run: it has no (" + file.getFileName() + ")",
          "the run failed or still goes on, or the path is misspelled",
          e);
    } catch (IOException | CsvParseException | YAMLException e) {
      throw new UserMistakeException(
          file.toString(),
          "the file cannot be read (" + UserMistakeException.reason(e) + ")",
          "it was cut short",
          e);
    }
  }

  /** Returns the loads of a run whose lanes have a memory; of any other none. */
  private static List<Load> loads(Path folder, RunConfig config, Findings findings)
      throws IOException, UserMistakeException {
    return Double.isNaN(config.number("lanes", "memory_mb"))
        ? List.of()
        : rows(folder.resolve(LOADS), LOAD_COLUMNS, Load::new, findings);
  }

  private static <T> Collector<T, ?, Map<String, T>> byKey(Function<T, String> key) {
    return Collectors.toMap(key, row -> row, (first, second) -> first, HashMap::new);
  }

  /**
   * Reads a resolved experiment.
   *
   * @throws YAMLException if the text is no YAML
   */
  public static RunConfig config(String yaml) {
    var options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    options.setMaxAliasesForCollections(ALIASES_MAX);
    options.setCodePointLimit(Integer.MAX_VALUE);
    Object loaded = new Yaml(new SafeConstructor(options)).load(yaml);
    Map<String, Object> values = new LinkedHashMap<>();
    if (loaded instanceof Map<?, ?> map) {
      map.forEach((key, value) -> values.put(String.valueOf(key), value));
    }
    return new RunConfig(values);
  }

  /** True if lanes have a memory below the sum of the models. */
  boolean hasMemory() {
    return !Double.isNaN(config.number("lanes", "memory_mb"));
  }

  /** True if the run's policy decides something beside which job starts next. */
  boolean decides(String what) {
    for (JsonNode decided : summary.path("scheduler_decides")) {
      if (decided.asText().equals(what)) {
        return true;
      }
    }
    return false;
  }

  private static <T> List<T> rows(
      Path file, List<String> columns, Function<Cells, T> row, Findings findings)
      throws IOException, UserMistakeException {
    List<T> rows = new ArrayList<>();
    String name = String.valueOf(file.getFileName());
    try (CsvReader<CsvRecord> csv =
        CsvReader.builder().ofCsvRecord(Files.newBufferedReader(file))) {
      int[] places = new int[columns.size()];
      var cells = new Cells(name, columns, places, findings);
      int width = 0;
      for (CsvRecord line : csv) {
        if (width == 0) {
          findColumns(file, columns, line.getFields(), places);
          width = line.getFieldCount();
          continue;
        }
        cells.on(line.getFields(), line.getStartingLineNumber());
        if (line.getFieldCount() == width) {
          rows.add(row.apply(cells));
        } else {
          findings.fault(
              Rule.FORMAT,
              cells.where(),
              "it has (%d) cells of (%d)".formatted(line.getFieldCount(), width));
        }
      }
      if (width == 0) {
        findColumns(file, columns, List.of(), places);
      }
    } catch (UncheckedIOException e) { // how the CSV reader says that it cannot read on
      if (e.getCause() instanceof CharacterCodingException broken) {
        throw Utf8.mistake(file, broken);
      }
      throw e.getCause();
    }
    return rows;
  }

  private static void findColumns(
      Path file, List<String> columns, List<String> header, int[] places)
      throws UserMistakeException {
    for (int i = 0; i < places.length; i++) {
      places[i] = header.indexOf(columns.get(i));
      if (places[i] < 0) {
        throw new UserMistakeException(
            file + ":1",
            "column (" + columns.get(i) + ") is missing",
            "another program has written the file");
      }
    }
  }

  private static <T> List<T> read(FutureTask<List<T>> reading)
      throws IOException, UserMistakeException {
    try {
      return reading.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the reading was interrupted");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException unreadable) {
        throw unreadable;
      }
      if (e.getCause() instanceof UserMistakeException mistake) {
        throw mistake;
      }
      if (e.getCause() instanceof CsvParseException unreadable) {
        throw unreadable;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Jobs that a batch holds, of those that the trace has. */
  public List<Job> jobsOf(Batch batch) {
    return heldByRow.get(batch.row);
  }

  private static List<Job> held(Batch batch, Map<String, Job> jobById) {
    List<Job> held = new ArrayList<>(batch.jobIds.size());
    for (String id : batch.jobIds) {
      Job job = jobById.get(id);
      if (job != null) {
        held.add(job);
      }
    }
    return held;
  }

  /**
   * How far the clocks of the run's processes may be apart, beside the log's whole milliseconds.
   */
  public long clockGrainNs() {
    double offsetMs = summary.path("clock_offset_ms_max").asDouble(0);
    return 1_000_000 + Math.round(Math.min(1e6, Math.abs(offsetMs)) * 1e6);
  }
}
