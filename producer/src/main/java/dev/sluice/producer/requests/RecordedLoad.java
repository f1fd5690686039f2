package dev.sluice.producer.requests;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingHeader.Kind;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.requests.RequestList.IsolatedTimes;
import dev.sluice.producer.trace.Trace;
import dev.sluice.producer.trace.Trace.TraceOptions.Window;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a recording by Sluice. A run's log holds only the requests that were sent, while
 * a request list has more. The list is drawn anew from the recorded experiment, and proved by its
 * digest and by the requests in the log. Where that fails, the sent requests are the load, and a
 * note says so.
 *
 * @param format what the file was taken for, for a person
 * @param requests requests in the order of the list, none left out
 * @param notes lines about the file that a person should know
 * @param isWhole whether these are all requests of the list that the run was to send; of a
 *     recording of requests, whether it has a digest
 */
public record RecordedLoad(
    String format, List<RecordedRequest> requests, List<String> notes, boolean isWhole) {
  /** Name of a log in the folder of its run. */
  private static final String LOG = "log.jsonl.gz";

  private static final String BEGINNING = "{\"sluice\":\"recording\"";
  private static final String LOG_FORMAT = "the log of a run";

  /**
   * Reads a recording, or the log in the folder of a run.
   *
   * @param salvage whether the whole lines of a file that was cut short are taken
   */
  public static RecordedLoad read(Path fileOrRun, boolean salvage, Vocabulary vocabulary)
      throws UserMistakeException {
    Path file = file(fileOrRun);
    RecordingHeader header = RecordingReader.headerOf(file);
    return header.kind() == Kind.REQUESTS
        ? ofRequests(file, salvage)
        : ofLog(file, salvage, vocabulary);
  }

  public static Path file(Path fileOrRun) throws UserMistakeException {
    if (!Files.isDirectory(fileOrRun)) {
      return fileOrRun;
    }
    Path log = fileOrRun.resolve(LOG);
    if (String.valueOf(fileOrRun.getFileName()).endsWith(".running")) {
      throw new UserMistakeException(
          fileOrRun.toString(),
          "this run has not finished",
          "it still runs; or it was killed, and its topics can be recorded");
    }
    if (!Files.exists(log)) {
      throw new UserMistakeException(
          fileOrRun.toString(),
          "this folder holds no recording (" + LOG + ")",
          "the run was asked for none, or another folder was meant");
    }
    return log;
  }

  /**
   * Returns the override with which an experiment replays a file. Its path is made absolute, since
   * paths of an experiment count from the experiment's folder.
   *
   * @param fileOrRun recording, folder of a run, or trace
   * @throws UserMistakeException if there is no such file, or the folder holds no recording
   */
  public static String override(Path fileOrRun) throws UserMistakeException {
    Path file = file(fileOrRun);
    UserMistakeException.throwIf(
        !Files.exists(file),
        fileOrRun.toString(),
        "the file does not exist",
        "its path is wrong; the folder of a run, a recording or a trace is meant");
    return "arrivals={process: %s, file: %s}"
        .formatted(
            isRecording(file) ? "replay" : "trace",
            QuotedText.of(file.toAbsolutePath().normalize().toString()));
  }

  /** Tells whether a file begins as a recording does, compressed or not; if not, it is a trace. */
  private static boolean isRecording(Path file) {
    try (var in = new BufferedInputStream(Files.newInputStream(file))) {
      in.mark(2);
      boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
      in.reset();
      byte[] first = (zipped ? new GZIPInputStream(in) : in).readNBytes(BEGINNING.length());
      return new String(first, StandardCharsets.US_ASCII).equals(BEGINNING);
    } catch (IOException e) {
      return false; // the reader of traces tells what is wrong
    }
  }

  private static RecordedLoad ofRequests(Path file, boolean salvage) throws UserMistakeException {
    try (RecordingReader<RecordedRequest> reader = RecordingReader.ofRequests(file, salvage)) {
      List<RecordedRequest> requests = new ArrayList<>();
      Map<RequestKind, RequestKind> kinds = new HashMap<>(); // one object a kind, not one a line
      for (RecordedRequest r = reader.next(); r != null; r = reader.next()) {
        requests.add(
            new RecordedRequest(r.intendedAtNs(), kinds.computeIfAbsent(r.kind(), kind -> kind)));
      }
      boolean whole = reader.header().requestDigest() != null && reader.loss() == null;
      return new RecordedLoad("a recording of requests", requests, notes(reader.loss()), whole);
    }
  }

  /** Returns the part of the requests that a window keeps; what it leaves out is counted. */
  Trace within(Window window) {
    return Trace.of(format, requests, notes, window);
  }

  private static RecordedLoad ofLog(Path file, boolean salvage, Vocabulary vocabulary)
      throws UserMistakeException {
    Map<Long, JobRequested> sent = new TreeMap<>();
    try (RecordingReader<RecordedEntry> reader = RecordingReader.ofLog(file, salvage)) {
      for (RecordedEntry entry = reader.next(); entry != null; entry = reader.next()) {
        JobRequested job = job(entry, reader);
        if (job != null) {
          sent.putIfAbsent(job.index(), job);
        }
      }
      List<String> notes = notes(reader.loss());
      try {
        RequestList list = redrawn(reader.header(), file, vocabulary, sent);
        List<RequestKind> kinds = list.kinds().stream().map(JobKind::asRecorded).toList();
        return new RecordedLoad(
            LOG_FORMAT,
            IntStream.range(0, list.size())
                .mapToObj(
                    i -> new RecordedRequest(list.intendedAtNs(i), kinds.get(list.kindNumber(i))))
                .toList(),
            notes,
            true);
      } catch (NotRedrawnException e) {
        notes.add("only the requests that were sent, not the whole list: " + e.getMessage());
      }
      Map<RequestKind, RequestKind> kinds = new HashMap<>();
      return new RecordedLoad(
          LOG_FORMAT,
          sent.values().stream()
              .sorted(
                  Comparator.comparingLong(JobRequested::intendedAtNs)
                      .thenComparingLong(JobRequested::index))
              .map(
                  job ->
                      new RecordedRequest(
                          job.intendedAtNs(),
                          kinds.computeIfAbsent(RequestKind.of(job), kind -> kind)))
              .toList(),
          notes,
          false);
    }
  }

  private static List<String> notes(@Nullable String loss) {
    return loss == null ? new ArrayList<>() : new ArrayList<>(List.of(loss));
  }

  private static @Nullable JobRequested job(
      RecordedEntry entry, RecordingReader<RecordedEntry> reader) throws UserMistakeException {
    if (!entry.topic().equals("facts")) {
      return null;
    }
    if (EventCodec.isNamed(WorkflowRequested.class, entry.value())) {
      throw new UserMistakeException(
          reader.place(),
          "this run executed workflows, whose requests are graphs",
          "you meant the log of another run");
    }
    return EventCodec.isNamed(JobRequested.class, entry.value())
            && EventCodec.FACTS.find(entry.value()).orElse(null) instanceof JobRequested job
        ? job
        : null; // a dead letter was no job of the run either
  }

  /** The reason why the list that a log's run had cannot be drawn anew. */
  private static final class NotRedrawnException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotRedrawnException(String why) {
      super(why);
    }
  }

  /** Draws the list that a log's run had anew. */
  private static RequestList redrawn(
      RecordingHeader header, Path file, Vocabulary vocabulary, Map<Long, JobRequested> sent) {
    String text = header.experiment();
    if (text == null || header.requestDigest() == null) {
      throw new NotRedrawnException("the recording does not say of which experiment it is");
    }
    RequestList drawn;
    try {
      ParsedExperiment parsed = ExperimentFile.recorded(file, text, vocabulary);
      drawn = RequestList.of(parsed, isolatedTimes(parsed.experiment(), sent));
    } catch (UserMistakeException e) {
      String last = e.problems().get(e.problems().size() - 1).what();
      throw new NotRedrawnException("its experiment cannot be read here (" + last + ")");
    }
    if (!drawn.digest().equals(header.requestDigest())) {
      throw new NotRedrawnException("drawn anew it has another digest");
    }
    if (!sent.values().stream().allMatch(job -> holds(drawn, job))) {
      throw new NotRedrawnException("drawn anew it lacks requests of the log");
    }
    return drawn;
  }

  private static boolean holds(RequestList list, JobRequested job) {
    if (job.index() >= list.size()) {
      return false;
    }
    int index = (int) job.index();
    return job.equals(list.get(index, job.generator(), list.intendedAtNs(index), job.sentAtNs()));
  }

  /** Times of jobs alone, as the promises in the log tell them. */
  private static IsolatedTimes isolatedTimes(Experiment experiment, Map<Long, JobRequested> sent) {
    Map<String, Double> scales = new HashMap<>();
    for (JobClass jobClass : experiment.jobs().classes()) {
      if (jobClass.sloScale() != null) {
        scales.put(jobClass.name(), jobClass.sloScale());
      }
    }
    Map<String, JobRequested> best = new HashMap<>(); // the largest multiple tells most digits
    for (JobRequested job : sent.values()) {
      Double scale = scales.get(job.classType());
      if (scale != null) {
        best.merge(
            key(job.workload(), job.backend(), job.precision(), job.samples()),
            job,
            (one, other) -> scale(scales, one) >= scale(scales, other) ? one : other);
      }
    }
    return (workload, backend, precision, samples) -> {
      JobRequested job = best.get(key(workload, backend, precision, samples));
      if (job == null) {
        throw new NotRedrawnException("no request tells the promises of those that were not sent");
      }
      return job.sloNs() / 1e6 / scale(scales, job);
    };
  }

  private static double scale(Map<String, Double> scales, JobRequested job) {
    return requireNonNull(scales.get(job.classType()));
  }

  private static String key(String workload, String backend, String precision, int samples) {
    return String.join("/", workload, backend, precision, Integer.toString(samples));
  }
}
