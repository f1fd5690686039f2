package dev.sluice.executor.model;

import dev.sluice.executor.model.Engines.Backend;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** What probably is wrong with a user's own model, by its first bytes and what its engine said. */
final class ModelHints {
  private static final int FIRST_BYTES = 64;
  private static final String LFS_POINTER = "version https://git-lfs.github.com/spec/";
  private static final byte PICKLE = (byte) 0x80;

  private static final Pattern NEWEST_OPSET =
      Pattern.compile("support for domain \\S+ is till opset (\\d+)");
  private static final Pattern NEWEST_IR =
      Pattern.compile("IR version: \\d+, max supported IR version: (\\d+)");
  private static final Pattern WRONG_AXIS =
      Pattern.compile("index: (\\d+) Got: (\\d+) Expected: (\\d+)");

  private ModelHints() {}

  /** The advice for a file that the engine could not load, given what the engine said. */
  static String notLoaded(Path file, Backend backend, String said) {
    byte[] first = first(file);
    if (new String(first, StandardCharsets.ISO_8859_1).startsWith(LFS_POINTER)) {
      return "it is a pointer of Git LFS, and the model was not fetched: git lfs pull";
    }
    return backend == Backend.PYTORCH ? torch(file, first) : onnx(said);
  }

  private static String torch(Path file, byte[] first) {
    if (holdsParametersAlone(file) || (first.length > 0 && first[0] == PICKLE)) {
      return "it holds parameters alone, a state_dict, and not TorchScript:"
          + " torch.jit.trace(model, example).save(\"model.pt\") makes one";
    }
    return "it is incomplete, or was not exported as TorchScript";
  }

  /** True if the file is an archive of PyTorch with data in it and without code. */
  private static boolean holdsParametersAlone(Path file) {
    try (var archive = new ZipFile(file.toFile())) {
      List<String> names = archive.stream().map(ZipEntry::getName).toList();
      return names.stream().anyMatch(name -> name.endsWith("/data.pkl"))
          && names.stream().noneMatch(name -> name.endsWith("/constants.pkl"));
    } catch (IOException e) {
      return false; // no archive, or not a whole one
    }
  }

  private static String onnx(String said) {
    Matcher opset = NEWEST_OPSET.matcher(said);
    if (opset.find()) {
      return "it was exported for a newer opset than this ONNX Runtime knows: the newest is "
          + opset.group(1)
          + " (opset_version="
          + opset.group(1)
          + ")";
    }
    Matcher ir = NEWEST_IR.matcher(said);
    if (ir.find()) {
      return "it was written by a newer ONNX than this ONNX Runtime knows: the newest IR version is"
          + " "
          + ir.group(1)
          + " (model.ir_version = "
          + ir.group(1)
          + " before it is saved)";
    }
    String lower = said.toLowerCase(Locale.ROOT);
    if (lower.contains("external")
        || lower.contains("no such file")
        || lower.contains("get file")) {
      return "its parameters are in a file of their own, which is missing: both files should stand"
          + " in one folder, under the names that they were exported with";
    }
    return "it is incomplete, or was not exported as ONNX";
  }

  /** The advice for a model that its engine loaded, and that refused zeros. */
  static String notRun(int samples, String said) {
    Matcher axis = WRONG_AXIS.matcher(said);
    boolean found = axis.find();
    if (samples > 1 || (found && axis.group(1).equals("0"))) {
      return "it was exported for a fixed number of samples"
          + (found ? ", " + axis.group(3) : "")
          + ": its first axis should be dynamic (dynamic_axes={\"input\": {0: \"batch\"}})";
    }
    return "its input_shape is another"
        + (found ? ": axis " + axis.group(1) + " is " + axis.group(3) : "")
        + ", or it was exported for a fixed number of samples";
  }

  private static byte[] first(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(FIRST_BYTES);
    } catch (IOException e) {
      return new byte[0]; // the engine's own words say what is wrong
    }
  }
}
