# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.signal import dct as dct
from stratagem._ops.signal import fft as fft
from stratagem._ops.signal import fft2d as fft2d
from stratagem._ops.signal import fft3d as fft3d
from stratagem._ops.signal import fftnd as fftnd
from stratagem._ops.signal import fftshift as fftshift
from stratagem._ops.signal import frame as frame
from stratagem._ops.signal import hamming_window as hamming_window
from stratagem._ops.signal import hann_window as hann_window
from stratagem._ops.signal import idct as idct
from stratagem._ops.signal import ifft as ifft
from stratagem._ops.signal import ifft2d as ifft2d
from stratagem._ops.signal import ifft3d as ifft3d
from stratagem._ops.signal import ifftnd as ifftnd
from stratagem._ops.signal import ifftshift as ifftshift
from stratagem._ops.signal import inverse_mdct as inverse_mdct
from stratagem._ops.signal import inverse_stft as inverse_stft
from stratagem._ops.signal import inverse_stft_window_fn as inverse_stft_window_fn
from stratagem._ops.signal import irfft as irfft
from stratagem._ops.signal import irfft2d as irfft2d
from stratagem._ops.signal import irfft3d as irfft3d
from stratagem._ops.signal import irfftnd as irfftnd
from stratagem._ops.signal import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from stratagem._ops.signal import kaiser_window as kaiser_window
from stratagem._ops.signal import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from stratagem._ops.signal import mdct as mdct
from stratagem._ops.signal import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from stratagem._ops.signal import overlap_and_add as overlap_and_add
from stratagem._ops.signal import rfft as rfft
from stratagem._ops.signal import rfft2d as rfft2d
from stratagem._ops.signal import rfft3d as rfft3d
from stratagem._ops.signal import rfftnd as rfftnd
from stratagem._ops.signal import stft as stft
from stratagem._ops.signal import vorbis_window as vorbis_window

__all__ = [
    "dct", "fft", "fft2d", "fft3d", "fftnd", "fftshift", "frame", "hamming_window", "hann_window", "idct", "ifft",
    "ifft2d", "ifft3d", "ifftnd", "ifftshift", "inverse_mdct", "inverse_stft", "inverse_stft_window_fn", "irfft",
    "irfft2d", "irfft3d", "irfftnd", "kaiser_bessel_derived_window", "kaiser_window", "linear_to_mel_weight_matrix",
    "mdct", "mfccs_from_log_mel_spectrograms", "overlap_and_add", "rfft", "rfft2d", "rfft3d", "rfftnd", "stft",
    "vorbis_window"
]  # fmt: skip
