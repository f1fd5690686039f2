package dev.sluice.executor.latency;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.LatencyModel.Calibrated;
import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Model files. Version 1, numbers big-endian, texts as {@link DataOutputStream#writeUTF}:
 *
 * <pre>
 * "sluice latency model 1\n"
 * 8 bytes   length of the body
 * body      device kind, seed; a method for each reach;
 *           keys; rows, each with its key's place; calibration residuals; the trees in use
 * 32 bytes  SHA-256 of all before
 * </pre>
 *
 * Medians, interpolation and lines are not in the file, since they follow from the rows, which a
 * run needs for fitting the model again. Nothing in the file names a class, so that the worst that
 * a file from elsewhere can do is predict wrongly. The file depends on no library's version.
 */
public final class ModelFile {
  static final int VERSION = 1;

  private static final String NAME = "model.sluice";

  private static final String MAGIC = "sluice latency model ";

  private static final OutputFile.Kind KIND =
      OutputFile.Kind.madeAgain("latency model", MAGIC.getBytes(StandardCharsets.US_ASCII));

  private static final Pattern FIRST_LINE = Pattern.compile(MAGIC + "(\\d{1,9})\n");
  private static final int MAGIC_LINE_MAX = MAGIC.length() + 11;
  private static final int DIGEST_BYTES = 32;
  private static final int ROW_BYTES = 52;
  private static final int KEY_BYTES = 18;

  private ModelFile() {}

  private static Path in(Path path) {
    return Files.isDirectory(path) ? path.resolve(NAME) : path;
  }

  /** Refuses a folder in which {@link #write} would replace a file that is no latency model. */
  public static void checkFolder(Path folder) throws UserMistakeException {
    OutputFile.check(folder.resolve(NAME), KIND, false);
  }

  /** Writes the model into a folder, atomically in place of an older one, and returns the file. */
  public static Path write(LatencyModel model, Path folder) throws IOException {
    Files.createDirectories(folder);
    Path file = folder.resolve(NAME);
    OutputFile.write(file, bytes(model));
    return file;
  }

  static String digest(LatencyModel model) {
    byte[] bytes = bytes(model);
    return HexFormat.of().formatHex(bytes, bytes.length - DIGEST_BYTES, bytes.length);
  }

  static byte[] bytes(LatencyModel model) {
    try {
      var body = new ByteArrayOutputStream();
      writeBody(model, new DataOutputStream(body));
      var file = new ByteArrayOutputStream();
      var out = new DataOutputStream(file);
      out.writeBytes(MAGIC + VERSION + "\n");
      out.writeLong(body.size());
      body.writeTo(out);
      out.write(Sha256.begin().digest(file.toByteArray()));
      return file.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the only cause in memory: a text of more than 64 KB
    }
  }

  private static void writeBody(LatencyModel model, DataOutputStream out) throws IOException {
    out.writeUTF(model.deviceKind());
    out.writeLong(model.seed());
    for (Reach reach : Reach.values()) {
      out.writeUTF(model.choice().getOrDefault(reach, Method.LINE).name());
    }
    List<LatencyKey> keys = model.rows().stream().map(ProfileRow::key).distinct().toList();
    out.writeInt(keys.size());
    Map<LatencyKey, Integer> places = new TreeMap<>();
    for (LatencyKey key : keys) {
      places.put(key, places.size());
      out.writeUTF(key.workload());
      out.writeUTF(key.backend());
      out.writeUTF(key.precision());
      out.writeInt(key.threads());
      out.writeInt(key.samples());
      out.writeInt(key.busyLanes());
    }
    out.writeInt(model.rows().size());
    for (ProfileRow row : model.rows()) {
      out.writeInt(places.getOrDefault(row.key(), -1));
      out.writeInt(row.pass());
      out.writeInt(row.repeat());
      out.writeLong(row.atNs());
      out.writeLong(row.serviceNs());
      out.writeDouble(row.foreignLoad() == null ? Double.NaN : row.foreignLoad());
      out.writeLong(row.flopsPerSample());
      out.writeLong(row.parameters());
    }
    out.writeInt(model.residuals().size());
    for (var entry : model.residuals().entrySet()) {
      out.writeUTF(entry.getKey().workload());
      out.writeUTF(entry.getKey().backend());
      out.writeUTF(entry.getKey().reach().name());
      out.writeInt(entry.getValue().length);
      for (double residual : entry.getValue()) {
        out.writeDouble(residual);
      }
    }
    for (Method method : List.of(Method.BOOSTING, Method.FOREST)) {
      boolean inUse = model.choice().containsValue(method);
      out.writeBoolean(inUse);
      if (inUse) {
        model.fit().trees(method).write(out);
      }
    }
  }

  /** Reads a model file; a mistake if the model is for another device kind, or cannot be read. */
  public static LatencyModel read(Path path, String deviceKind) throws UserMistakeException {
    LatencyModel model = read(path);
    if (!model.deviceKind().equals(deviceKind)) {
      throw new UserMistakeException(
          in(path).toString(),
          "the latency model is for device kind ("
              + model.deviceKind()
              + "), and the lanes are of ("
              + deviceKind
              + ")",
          "./sluice profile and ./sluice train with these lanes make one for them");
    }
    return model;
  }

  /**
   * Reads the file, or that of the folder that {@code train} made; a mistake if it is missing, cut
   * short, damaged, or of a later version.
   */
  public static LatencyModel read(Path path) throws UserMistakeException {
    Path file = in(path);
    byte[] bytes = readAll(file);
    int body = checkVersion(file, bytes) + Long.BYTES;
    long length = bytes.length < body ? -1 : ByteBuffer.wrap(bytes, body - Long.BYTES, 8).getLong();
    long whole = body + length + DIGEST_BYTES;
    if (length < 0 || bytes.length < whole) {
      throw refused(
          file,
          "the latency model is cut short ("
              + bytes.length
              + " bytes"
              + (length < 0 ? "" : " of " + whole)
              + ")");
    }
    int signed = bytes.length - DIGEST_BYTES;
    byte[] digest = Arrays.copyOfRange(bytes, signed, bytes.length);
    if (bytes.length > whole
        || !Arrays.equals(Sha256.begin().digest(Arrays.copyOf(bytes, signed)), digest)) {
      throw refused(file, "the latency model is damaged: its checksum does not fit it");
    }
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes, body, (int) length))) {
      LatencyModel model = readBody(in);
      if (in.available() > 0) {
        throw new IOException("there are bytes after its end");
      }
      return model;
    } catch (IOException | IllegalArgumentException e) {
      throw refused(file, "the latency model makes no sense (" + e.getMessage() + ")");
    }
  }

  private static byte[] readAll(Path file) throws UserMistakeException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw refused(file, "there is no latency model");
    } catch (IOException e) {
      throw new UserMistakeException(
          file.toString(),
          "the latency model cannot be read (" + UserMistakeException.reason(e) + ")",
          "change its permissions");
    }
  }

  /** Checks the version in the first line, and returns where that line ends. */
  private static int checkVersion(Path file, byte[] bytes) throws UserMistakeException {
    String start =
        new String(bytes, 0, Math.min(bytes.length, MAGIC_LINE_MAX), StandardCharsets.US_ASCII);
    Matcher line = FIRST_LINE.matcher(start);
    if (!line.lookingAt()) {
      throw refused(
          file,
          MAGIC.startsWith(start) || start.matches(MAGIC + "\\d{0,9}")
              ? "the latency model is cut short (" + bytes.length + " bytes)"
              : "this is no latency model");
    }
    if (Integer.parseInt(line.group(1)) != VERSION) {
      throw refused(
          file,
          "the latency model is of version ("
              + line.group(1)
              + "), and this Sluice reads "
              + VERSION);
    }
    return line.end();
  }

  private static UserMistakeException refused(Path file, String what) {
    return new UserMistakeException(
        file.toString(), what, "./sluice train results/profiles.csv makes it anew");
  }

  private static LatencyModel readBody(DataInputStream in) throws IOException {
    String deviceKind = in.readUTF();
    long seed = in.readLong();
    Map<Reach, Method> choice = new EnumMap<>(Reach.class);
    for (Reach reach : Reach.values()) {
      choice.put(reach, Method.valueOf(in.readUTF()));
    }
    List<ProfileRow> rows = readRows(in, deviceKind);
    SortedMap<Calibrated, double[]> residuals = new TreeMap<>();
    int lists = count(in, "lists of residuals", 3 * Short.BYTES + Integer.BYTES);
    for (int i = 0; i < lists; i++) {
      var of = new Calibrated(in.readUTF(), in.readUTF(), Reach.valueOf(in.readUTF()));
      double[] values = new double[count(in, "residuals", Double.BYTES)];
      for (int j = 0; j < values.length; j++) {
        values[j] = in.readDouble();
        if (!Double.isFinite(values[j]) || (j > 0 && values[j] < values[j - 1])) {
          throw new IOException("residuals are no ascending numbers");
        }
      }
      residuals.put(of, values);
    }
    Fit fit = new Fit(rows);
    for (Method method : List.of(Method.BOOSTING, Method.FOREST)) {
      boolean inUse = in.readBoolean();
      if (inUse != choice.containsValue(method)) {
        throw new IOException("trees are missing or too many");
      }
      if (inUse) {
        fit.put(method, Ensemble.read(in, fit.features()));
      }
    }
    return new LatencyModel(deviceKind, seed, choice, rows, fit, residuals);
  }

  /**
   * Reads a count of elements, and checks that the rest of the file can hold that many.
   *
   * @param bytesEach least number of bytes that each element takes
   * @throws IOException if the rest of the file is too short
   */
  static int count(DataInputStream in, String what, int bytesEach) throws IOException {
    int count = in.readInt();
    if (count < 0 || (long) count * bytesEach > in.available()) {
      throw new IOException("it claims to hold " + count + " " + what);
    }
    return count;
  }

  private static List<ProfileRow> readRows(DataInputStream in, String deviceKind)
      throws IOException {
    int keyCount = count(in, "keys", KEY_BYTES);
    List<LatencyKey> keys = new ArrayList<>();
    for (int i = 0; i < keyCount; i++) {
      keys.add(
          new LatencyKey(
              new ModelKey(in.readUTF(), in.readUTF(), in.readUTF()),
              in.readInt(),
              in.readInt(),
              in.readInt()));
    }
    int rowCount = count(in, "rows", ROW_BYTES);
    List<ProfileRow> rows = new ArrayList<>();
    for (int i = 0; i < rowCount; i++) {
      int key = in.readInt();
      if (key < 0 || key >= keyCount) {
        throw new IOException("a row has no key");
      }
      int pass = in.readInt();
      int repeat = in.readInt();
      long atNs = in.readLong();
      long serviceNs = in.readLong();
      double foreignLoad = in.readDouble();
      rows.add(
          new ProfileRow(
              deviceKind,
              keys.get(key),
              pass,
              repeat,
              atNs,
              serviceNs,
              Double.isNaN(foreignLoad) ? null : foreignLoad,
              in.readLong(),
              in.readLong()));
    }
    if (rows.isEmpty()) {
      throw new IOException("it has no rows");
    }
    return rows;
  }
}
