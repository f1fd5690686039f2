package dev.sluice.layers.parameters;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.layers.parameters.Manifest.LayerState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The state of a training, in its folder. A changed layer goes into a new file; {@link #commit}
 * syncs the new files and then renames one manifest, which makes the step the last whole one. Each
 * layer's tensors are read from its newest file.
 *
 * <p>One thread changes the folder; another may read layers that are not being written.
 */
public final class TrainingFolder implements ParameterSource {
  private static final String LOSSES = "losses.csv";
  private static final String LOSSES_HEADER = "step,loss\n";
  private static final String UNFINISHED = ".unfinished";
  private static final Pattern OURS =
      Pattern.compile("(.+)-(0|[1-9][0-9]*)\\.safetensors|" + Manifest.NAME + UNFINISHED);

  private final Path folder;
  private final Map<String, String> settings;
  private final List<StoredLayer> layers;
  private final Disk disk;

  /** Newest file of each layer. */
  private final AtomicReferenceArray<LayerState> newest;

  private final Set<Path> unsynced = new LinkedHashSet<>();
  private final StringBuilder newLosses = new StringBuilder();
  private long lossesBytes;
  private int committedStep;
  private List<LayerState> committed = List.of();

  /**
   * A layer as the folder holds it.
   *
   * @param tensors parameters, running statistics and optimizer state, in the file's order
   */
  public record StoredLayer(String name, List<TensorShape> tensors) {
    public StoredLayer {
      tensors = List.copyOf(tensors);
    }

    public long bytes() {
      return tensors.stream().mapToLong(TensorShape::bytes).sum();
    }
  }

  /** Gives a layer's tensors before the first step. */
  public interface InitialState {
    List<ByteBuffer> of(int layer) throws IOException;
  }

  private TrainingFolder(
      Path folder, Map<String, String> settings, List<StoredLayer> layers, Disk disk) {
    this.folder = folder;
    this.settings = settings;
    this.layers = List.copyOf(layers);
    this.disk = disk;
    this.newest = new AtomicReferenceArray<>(layers.size());
  }

  /**
   * Makes the folder of a training that begins, with step 0 in it.
   *
   * @param settings what determines the training's course, by key; texts without quotes
   * @throws UserMistakeException if the folder holds a training already, or cannot be written
   */
  public static TrainingFolder create(
      Path folder, Map<String, String> settings, List<StoredLayer> layers, InitialState initial)
      throws UserMistakeException {
    return create(folder, settings, layers, initial, new Disk());
  }

  static TrainingFolder create(
      Path folder,
      Map<String, String> settings,
      List<StoredLayer> layers,
      InitialState initial,
      Disk disk)
      throws UserMistakeException {
    UserMistakeException.throwIf(
        Files.exists(folder.resolve(Manifest.NAME)),
        folder.toString(),
        "the folder holds a training already",
        "--resume goes on with it, or --out should name another folder");
    var made = new TrainingFolder(folder, settings, layers, disk);
    try {
      Files.createDirectories(folder);
      for (int layer = 0; layer < layers.size(); layer++) {
        made.write(layer, 0, initial.of(layer));
      }
      made.newLosses.append(LOSSES_HEADER);
      made.commit(0);
    } catch (IOException e) {
      throw made.unwritable(e);
    }
    return made;
  }

  /**
   * Goes on from the last whole step, and removes what a process that died left beside it.
   *
   * @param settings settings that the training must have begun with
   * @throws UserMistakeException if the folder holds no such training, or a damaged one
   */
  public static TrainingFolder resume(
      Path folder, Map<String, String> settings, List<StoredLayer> layers)
      throws UserMistakeException, IOException {
    return resume(folder, settings, layers, new Disk());
  }

  static TrainingFolder resume(
      Path folder, Map<String, String> settings, List<StoredLayer> layers, Disk disk)
      throws UserMistakeException, IOException {
    Manifest manifest =
        Manifest.read(
            folder.resolve(Manifest.NAME),
            settings,
            layers.stream().map(StoredLayer::name).toList());
    var resumed = new TrainingFolder(folder, settings, layers, disk);
    resumed.committedStep = manifest.step();
    resumed.committed = manifest.layers();
    resumed.lossesBytes = manifest.lossesBytes();
    for (int layer = 0; layer < layers.size(); layer++) {
      resumed.newest.set(layer, manifest.layers().get(layer));
      resumed.verify(layer);
    }
    Path losses = folder.resolve(LOSSES);
    UserMistakeException.throwIf(
        !Files.exists(losses) || Files.size(losses) < manifest.lossesBytes(),
        losses.toString(),
        "the file has fewer bytes than the manifest says (" + manifest.lossesBytes() + ")",
        "it was changed by hand; the training must begin anew");
    resumed.removeLeftOvers();
    return resumed;
  }

  public int committedStep() {
    return committedStep;
  }

  @Override
  public void read(int layer, ByteBuffer into) throws IOException {
    Path file = file(newest.get(layer));
    try (SafetensorsFile read = SafetensorsFile.open(file)) {
      read.require(layers.get(layer).tensors());
      into.limit(into.position() + Math.toIntExact(layers.get(layer).bytes()));
      read.read(read.entries().get(0).offset(), into);
    } catch (UserMistakeException e) {
      throw new IOException(e.problems().get(0).location() + ": " + e.problems().get(0).what(), e);
    }
  }

  /**
   * Writes a changed layer into a file of its own, which nothing counts on before {@link #commit}.
   *
   * @param step step that changed it, above the last whole one
   * @param tensors the layer's tensors, in the order of {@link StoredLayer}
   */
  public void write(int layer, int step, List<ByteBuffer> tensors) throws IOException {
    StoredLayer stored = layers.get(layer);
    var crc = new CRC32C();
    tensors.forEach(tensor -> crc.update(tensor.duplicate()));
    var state = new LayerState(stored.name(), step, "%08x".formatted(crc.getValue()));
    var content = new ArrayList<ByteBuffer>();
    content.add(ByteBuffer.wrap(TensorShape.header(stored.tensors())));
    content.addAll(tensors);
    LayerState before = newest.get(layer);
    Path file = file(state);
    disk.write(file, content);
    newest.set(layer, state);
    unsynced.add(file);
    if (before != null && before.step() != step && !committed.contains(before)) {
      unsynced.remove(file(before));
      disk.delete(file(before));
    }
  }

  /** Notes the loss of a step, which becomes durable with it. */
  public void loss(int step, float loss) {
    newLosses.append(step).append(',').append(loss).append('\n');
  }

  /** Makes a step durable as a whole: it, or after a failure the step before it, is found again. */
  public void commit(int step) throws IOException {
    Path losses = folder.resolve(LOSSES);
    byte[] lines = newLosses.toString().getBytes(UTF_8);
    disk.replaceEnd(losses, lossesBytes, ByteBuffer.wrap(lines));
    unsynced.add(losses);
    for (Path file : unsynced) {
      disk.sync(file);
    }
    List<LayerState> states = new ArrayList<>();
    for (int layer = 0; layer < layers.size(); layer++) {
      states.add(newest.get(layer));
    }
    var manifest = new Manifest(settings, step, lossesBytes + lines.length, states);
    Path unfinished = folder.resolve(Manifest.NAME + UNFINISHED);
    disk.write(unfinished, List.of(ByteBuffer.wrap(manifest.bytes())));
    disk.sync(unfinished);
    disk.sync(folder); // the new files' names, before a manifest names them
    disk.rename(unfinished, folder.resolve(Manifest.NAME));
    disk.sync(folder);
    List<LayerState> old = committed;
    committed = states;
    committedStep = step;
    lossesBytes = manifest.lossesBytes();
    newLosses.setLength(0);
    unsynced.clear();
    for (LayerState state : old) {
      if (!states.contains(state)) {
        disk.delete(file(state));
      }
    }
  }

  /** Returns the mistake that the user is told of if the folder cannot be written. */
  public UserMistakeException unwritable(IOException cause) {
    return new UserMistakeException(
        folder.toString(),
        "the training cannot be written (" + UserMistakeException.reason(cause) + ")",
        committed.isEmpty()
            ? "--out should name a folder with room that you can write"
            : "make room there; --resume then goes on behind step " + committedStep,
        cause);
  }

  private Path file(LayerState state) {
    return folder.resolve(state.file());
  }

  private void verify(int layer) throws UserMistakeException, IOException {
    LayerState state = newest.get(layer);
    StoredLayer stored = layers.get(layer);
    try (SafetensorsFile file = SafetensorsFile.open(file(state))) {
      file.require(stored.tensors());
      var names = file.entries().stream().map(entry -> entry.tensor().name()).toList();
      UserMistakeException.throwIf(
          !names.equals(stored.tensors().stream().map(TensorShape::name).toList()),
          file(state).toString(),
          "its tensors are in another order",
          "another program wrote it");
      var crc = new CRC32C();
      ByteBuffer piece = ByteBuffer.allocate(1 << 20);
      long at = file.entries().get(0).offset();
      for (long left = stored.bytes(); left > 0; left -= piece.limit()) {
        file.read(at, piece.clear().limit((int) Math.min(left, piece.capacity())));
        crc.update(piece.flip());
        at += piece.limit();
      }
      String actual = "%08x".formatted(crc.getValue());
      UserMistakeException.throwIf(
          !actual.equals(state.crc32c()),
          file(state).toString(),
          "the file is damaged: its checksum is (%s), not (%s)".formatted(actual, state.crc32c()),
          "the disk fails; the training must begin anew");
    }
  }

  /** Removes files of this folder's kind that the manifest does not name. */
  private void removeLeftOvers() throws IOException {
    List<String> named = committed.stream().map(LayerState::file).toList();
    Set<String> names = Set.copyOf(layers.stream().map(StoredLayer::name).toList());
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
      for (Path path : all) {
        String name = path.getFileName().toString();
        var ours = OURS.matcher(name);
        if (ours.matches()
            && !named.contains(name)
            && (ours.group(1) == null || names.contains(ours.group(1)))) {
          disk.delete(path);
        }
      }
    }
  }

  /** Leaves the folder as it is: what was not committed is removed when the training goes on. */
  @Override
  public void close() {
    // each file is closed behind its use
  }

  /** What a training changes in its folder, one operation at a time. */
  static class Disk {
    /** Writes a file from its start; what stood there is lost. */
    void write(Path file, List<ByteBuffer> content) throws IOException {
      try (FileChannel channel =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        for (ByteBuffer piece : content) {
          writeFully(channel, piece.duplicate(), channel.position());
          channel.position(channel.size());
        }
      }
    }

    /** Writes behind the first bytes of a file, and cuts off what stood there. */
    void replaceEnd(Path file, long keptBytes, ByteBuffer end) throws IOException {
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.truncate(keptBytes);
        writeFully(channel, end.duplicate(), keptBytes);
      }
    }

    private static void writeFully(FileChannel channel, ByteBuffer piece, long offset)
        throws IOException {
      long at = offset;
      while (piece.hasRemaining()) {
        at += channel.write(piece, at);
      }
    }

    /** Waits until a file's content, or a folder's names, would survive a loss of power. */
    void sync(Path path) throws IOException {
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }

    /** Renames a file, at once and in place of the one that has the name. */
    void rename(Path from, Path to) throws IOException {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void delete(Path file) throws IOException {
      Files.deleteIfExists(file);
    }
  }
}
